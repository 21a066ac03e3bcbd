/** The cookie that carries a message over one redirect. Scripts remove it once it was told. */
export const FLASH_COOKIE = 'holdfast.flash';
/** Seconds after which a browser without scripts forgets it. */
export const FLASH_SECONDS = 15;
