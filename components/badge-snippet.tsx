import { CopyButton } from './copy-button';

/** What to paste into a README so that it shows a container's badge, and what it looks like now. */
export function BadgeSnippet({ slug, address, isPublic }: { slug: string; address: string; isPublic: boolean }) {
  const path = `/api/v1/containers/${slug}/badge.svg`;
  const [picture, page, alt] = [`${address}${path}`, `${address}/c/${slug}`, `Lock of ${slug}`];
  const texts = [
    { name: 'Markdown', text: `[![${alt}](${picture})](${page})` },
    { name: 'HTML', text: `<a href="${page}"><img src="${picture}" alt="${alt}" height="22"></a>` },
  ];
  return (
    <div className="flex flex-col gap-4">
      <p>
        {/* Small, of this origin, and another at each look: nothing for an image optimiser. */}
        <img src={path} alt={`${alt}, as a picture`} height={22} className="inline-block h-[22px] max-w-full" />
      </p>
      {texts.map(({ name, text }) => (
        <div key={name} className="min-w-0">
          <div className="mb-1 flex flex-wrap items-center justify-between gap-2">
            <h3 className="text-[0.875rem] font-medium">{name}</h3>
            <CopyButton text={text} label={`Copy ${name}`} />
          </div>
          <code className="plain-text block rounded-lg bg-sunken px-3 py-2 select-all">{text}</code>
        </div>
      ))}
      <p className="text-[0.9375rem] text-ink-soft">
        {isPublic
          ? 'This container is public: everybody sees the picture, and who holds the lock.'
          : 'This container is not public: only who is signed in here sees the picture, so on another site it stays empty until an operator makes the container public.'}
      </p>
    </div>
  );
}
