/** Keys to press, one after the other. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.map((key, i) => (
        <kbd key={i} className="key">
          {key}
        </kbd>
      ))}
    </span>
  );
}
