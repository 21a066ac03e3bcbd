/** The cookie that carries a message over one redirect. Scripts remove it once it was told. */
export const FLASH_COOKIE = 'holdfast.flash';
/** Seconds after which a browser without scripts forgets it. */
export const FLASH_SECONDS = 15;

/** A message for the next page: what changed, or why nothing did. */
export type Flash = { text: string; refused: boolean };

const REFUSED = '!';
const MOST_CHARACTERS = 400;

/** The cookie's value for a message; a long one is cut. */
export const flashValue = ({ text, refused }: Flash): string => `${refused ? REFUSED : ''}${text}`.slice(0, MOST_CHARACTERS).toWellFormed();

/** The message of a cookie's value. */
export const flashOf = (value: string): Flash => (value.startsWith(REFUSED) ? { text: value.slice(REFUSED.length), refused: true } : { text: value, refused: false });
