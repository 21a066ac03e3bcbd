/** The mark: a keyhole that grows roots, as a holdfast does. */
export function Logo({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" aria-hidden className={className}>
      <circle cx="12" cy="6" r="3.5" />
      <path d="M12 9.5V21" />
      <path d="M12 12.5c0 4-2.8 6-7 6.5" />
      <path d="M12 12.5c0 4 2.8 6 7 6.5" />
    </svg>
  );
}
