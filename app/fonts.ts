import localFont from 'next/font/local';

// `optional`: a font that is not there when the page is first shown is used from the next page on. One that came later would move what
// somebody reads already. Identifiers and digests can do without theirs, so it does not hold up the rest.

export const GeistSans = localFont({
  src: '../node_modules/geist/dist/fonts/geist-sans/Geist-Variable.woff2',
  variable: '--font-geist-sans',
  display: 'optional',
  weight: '100 900',
});

export const GeistMono = localFont({
  src: '../node_modules/geist/dist/fonts/geist-mono/GeistMono-Variable.woff2',
  variable: '--font-geist-mono',
  display: 'optional',
  preload: false,
  adjustFontFallback: false,
  fallback: ['ui-monospace', 'SFMono-Regular', 'Roboto Mono', 'Menlo', 'Monaco', 'Liberation Mono', 'DejaVu Sans Mono', 'Courier New', 'monospace'],
  weight: '100 900',
});
