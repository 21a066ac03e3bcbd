import { Monitor, Moon, Sun, type LucideIcon } from 'lucide-react';
import { THEMES, type Theme } from './theme';

const ICONS: Record<Theme, LucideIcon> = { system: Monitor, light: Sun, dark: Moon };

/** Goes from the system's theme to light, to dark, and back: a form, so that it needs no scripts. */
export function ThemeToggle({ theme, action }: { theme: Theme; action: (data: FormData) => Promise<void> }) {
  const Icon = ICONS[theme];
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <form action={action}>
      <input type="hidden" name="theme" value={next} />
      <button type="submit" className="icon-button">
        <Icon aria-hidden className="size-5" strokeWidth={1.75} />
        <span className="sr-only">
          Theme: {theme}. Change to {next}
        </span>
      </button>
    </form>
  );
}
