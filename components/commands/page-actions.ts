/**
 * What can be done on the page that is shown: its controls that carry `data-command`, which
 * is the action in words.
 */
export type PageAction = { label: string; control: HTMLElement };

const FIELDS = 'input:not([type=hidden]):not([type=checkbox]):not([type=radio]), textarea, select';

/** Each action once, in the page's order; what cannot be seen cannot be done. */
export function pageActions(): PageAction[] {
  const seen = new Set<string>();
  return [...document.querySelectorAll<HTMLElement>('main [data-command]')].flatMap((control) => {
    const label = control.dataset.command!;
    if (seen.has(label) || control.getClientRects().length === 0) return [];
    seen.add(label);
    return [{ label, control }];
  });
}

/**
 * What to put the focus on, for an action that asks for something first: the form's first
 * field. Undefined for one that can be done at once.
 */
export function firstField({ control }: PageAction): HTMLElement | undefined {
  const form = control instanceof HTMLButtonElement ? control.form : null;
  const fields = [...(form?.querySelectorAll<HTMLElement>(FIELDS) ?? [])];
  return fields.find((field) => field.getClientRects().length > 0);
}
