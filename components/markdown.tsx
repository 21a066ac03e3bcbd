import type { ComponentProps, ReactElement } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { isExternal, safeLink } from './safe-link';

type Props<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & ExtraProps;

function Anchor({ node: _, href, children, className, id }: Props<'a'>) {
  const safe = safeLink(href);
  if (safe === undefined) return <span>{children}</span>;
  const leaves = isExternal(safe);
  return (
    <a href={safe} id={id} className={className ? `link ${className}` : 'link'} rel={leaves ? 'noreferrer nofollow ugc' : undefined}>
      {children}
    </a>
  );
}

/** An image is never loaded: it may tell another site who reads. Its text stands for it. */
function Picture({ src, alt }: Props<'img'>) {
  const text = alt || 'image';
  const safe = typeof src === 'string' ? safeLink(src) : undefined;
  if (safe === undefined) return <span>[{text}]</span>;
  return (
    <a href={safe} className="link" rel={isExternal(safe) ? 'noreferrer nofollow ugc' : undefined}>
      [image: {text}]
    </a>
  );
}

const ALIGN: Record<string, string> = { right: 'text-end', center: 'text-center' };
const alignOf = (node: Props<'td'>['node']): string | undefined => ALIGN[String(node?.properties.align)];

const components: Components = {
  a: Anchor,
  img: Picture,
  table: ({ node: _, ...props }) => (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table {...props} />
    </div>
  ),
  // An alignment comes as a style attribute, which the Content-Security-Policy refuses.
  th: ({ node, style: _, ...props }) => <th {...props} scope="col" className={alignOf(node)} />,
  td: ({ node, style: _, ...props }) => <td {...props} className={alignOf(node)} />,
  pre: ({ node: _, ...props }) => <pre tabIndex={0} {...props} />,
  input: ({ node: _, checked }) => <input type="checkbox" checked={checked} readOnly disabled aria-label={checked ? 'done' : 'not done'} />,
};

// What makes the parser deep (recursive) or slow (more than a second), far beyond what people write.
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){40}|^[ \t]{80,}(?:[>+*-]|\d{1,9}[.)])[ \t]|[[(*_~]{200}/m;
const MOST = [
  [/[*_`]/g, 8_000],
  [/[[\]]/g, 8_000],
  [/~/g, 1_000],
  [/^[ \t>]*(?:[-+*]|\d{1,9}[.)])\s/gm, 4_000],
  [/^[ \t>]*(?:=+|-+)[ \t]*$/gm, 500],
  [/^[ \t>]*#{1,6}[ \t]/gm, 4_000],
  [/^[ \t>]*\[\^[^\]\n]*\]:/gm, 500],
  [/&/g, 8_000],
  [/www\.|:\/\/|@/gi, 4_000],
  [/\n/g, 12_000],
] as const;
const MOST_CELLS = 8_000;
const TABLE_RULE = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** About how many cells the tables of a text come to: each row is filled up to as many as its table's rule has. */
function cellsOf(text: string): number {
  let cells = 0;
  let columns = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') columns = 0;
    else if (line.includes('|') && TABLE_RULE.test(line)) columns = Math.max(columns, line.split('|').length - 1);
    cells += columns;
  }
  return cells;
}

function isHostile(text: string): boolean {
  return TOO_DEEP.test(text) || cellsOf(text) > MOST_CELLS || MOST.some(([mark, most]) => (text.match(mark)?.length ?? 0) > most);
}

type Parent = Pick<NonNullable<ExtraProps['node']>, 'children'>;
type Child = Parent['children'][number];

const LONG_WORD = /\S{400}/;
const PIECES = /\S{1,80}|\s+/g;

/** Laying out one word takes a browser a time that grows with the square of its length: after a while it may be broken anywhere. */
function breakLongWords({ children }: Parent): void {
  for (const [index, child] of [...children.entries()].reverse()) {
    if (child.type === 'element' && child.tagName !== 'pre') breakLongWords(child);
    if (child.type !== 'text' || !LONG_WORD.test(child.value)) continue;
    const pieces = child.value.match(PIECES) ?? [];
    const broken = pieces.flatMap((value): Child[] => [{ type: 'text', value }, { type: 'element', tagName: 'wbr', properties: {}, children: [] }]);
    children.splice(index, 1, ...broken);
  }
}

/**
 * Pages have an h1 and sections an h2; what people write goes below, each heading one step under the one that it belongs to, however
 * many steps it was written with.
 */
function sinkHeadings({ children }: Parent, above: number[] = []): void {
  for (const child of children) {
    if (child.type !== 'element') continue;
    const level = Number(/^h([1-6])$/.exec(child.tagName)?.[1]);
    if (!level) {
      sinkHeadings(child, above);
      continue;
    }
    while (above.length > 0 && above.at(-1)! >= level) above.pop();
    above.push(level);
    child.tagName = `h${Math.min(6, 2 + above.length)}`;
  }
}

function render(text: string, prefix: string): ReactElement | undefined {
  if (isHostile(text)) return undefined;
  try {
    return ReactMarkdown({
      children: text,
      components,
      remarkPlugins: [remarkGfm],
      rehypePlugins: [() => breakLongWords, () => (tree: Parent) => sinkHeadings(tree)],
      remarkRehypeOptions: { clobberPrefix: `${prefix}-` },
      urlTransform: (url) => safeLink(url) ?? '',
    });
  } catch {
    return undefined;
  }
}

/**
 * Markdown that people or agents wrote (W-4): no raw HTML, safe links, no images. What cannot
 * be rendered is shown as the text that it is.
 * @param id sets this text's footnotes apart from those of other texts on the page
 */
export function Markdown({ text, id = 'text' }: { text: string; id?: string }) {
  const rendered = render(text, id);
  if (!rendered) return <div className="plain-text">{text}</div>;
  return <div className="prose">{rendered}</div>;
}
