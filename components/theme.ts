export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_LABELS: Record<Theme, string> = { system: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' };

export const THEME_COOKIE = 'holdfast.theme';

/** The theme of a cookie or a form; the system's for anything else. */
export const themeOf = (value: unknown): Theme => THEMES.find((theme) => theme === value) ?? 'system';
