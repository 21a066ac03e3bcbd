import { TriangleAlert } from 'lucide-react';

/** The caution in short, beside a badge (LP-10). */
export function CautionMark() {
  return (
    <span className="inline-flex items-center gap-1 text-[0.8125rem] font-medium text-caution">
      <TriangleAlert aria-hidden className="size-4" />
      caution
    </span>
  );
}
