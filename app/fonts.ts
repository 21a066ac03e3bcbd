import localFont from 'next/font/local';

// `optional`: a font that is not there when the page is first shown is used from the next page on. One that came later would move what
// somebody reads already. Identifiers and digests can do without theirs, so it does not hold up the rest.
//
// In parts by the letters that they have, for a first visit on a slow line: the Latin ones are all that most pages need, and the
// others are fetched by pages that have such letters. The ranges are those of the files. The framework
// reads these calls without running them, so each says in full what it shares with others.

const GeistSans = localFont({
  src: '../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2',
  variable: '--font-geist-sans',
  display: 'optional',
  weight: '100 900',
});

const GeistLatinExt = localFont({
  src: '../node_modules/@fontsource-variable/geist/files/geist-latin-ext-wght-normal.woff2',
  variable: '--font-geist-latin-ext',
  display: 'optional',
  preload: false,
  adjustFontFallback: false,
  weight: '100 900',
  declarations: [
    {
      prop: 'unicode-range',
      value:
        'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
    },
  ],
});

const GeistVietnamese = localFont({
  src: '../node_modules/@fontsource-variable/geist/files/geist-vietnamese-wght-normal.woff2',
  variable: '--font-geist-vietnamese',
  display: 'optional',
  preload: false,
  adjustFontFallback: false,
  weight: '100 900',
  declarations: [
    {
      prop: 'unicode-range',
      value: 'U+0102-0103,U+0110-0111,U+0128-0129,U+0168-0169,U+01A0-01A1,U+01AF-01B0,U+0300-0301,U+0303-0304,U+0308-0309,U+0323,U+0329,U+1EA0-1EF9,U+20AB',
    },
  ],
});

const GeistCyrillic = localFont({
  src: '../node_modules/@fontsource-variable/geist/files/geist-cyrillic-wght-normal.woff2',
  variable: '--font-geist-cyrillic',
  display: 'optional',
  preload: false,
  adjustFontFallback: false,
  weight: '100 900',
  declarations: [{ prop: 'unicode-range', value: 'U+0301,U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116' }],
});

const GeistMono = localFont({
  src: '../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2',
  variable: '--font-geist-mono',
  display: 'optional',
  preload: false,
  adjustFontFallback: false,
  fallback: ['ui-monospace', 'SFMono-Regular', 'Roboto Mono', 'Menlo', 'Monaco', 'Liberation Mono', 'DejaVu Sans Mono', 'Courier New', 'monospace'],
  weight: '100 900',
});

/** What the root of a page needs for its letters. */
export const letters = [GeistSans, GeistLatinExt, GeistVietnamese, GeistCyrillic, GeistMono].map(({ variable }) => variable).join(' ');
