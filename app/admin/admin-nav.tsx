import { PageHead } from '@/components/page-head';
import { SubNav } from '@/components/sub-nav';

const PAGES = [
  { label: 'Silent locks', href: '/admin' },
  { label: 'Audit log', href: '/admin/audit' },
  { label: 'Principals', href: '/admin/principals' },
  { label: 'Recovery', href: '/admin/recovery' },
];

/** The head of the operators' pages. */
export function AdminHead({ at }: { at: string }) {
  return (
    <>
      <PageHead title="Admin" />
      <SubNav label="Admin" items={PAGES} at={at} />
    </>
  );
}
