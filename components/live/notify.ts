/** Telling a viewer who does not look at the page: by the browser's notifications, where the viewer allows them. */
import { store, storedText } from '../storage';
import { stayOn } from './store';

export type Alert = { tag: string; title: string; body: string; href: string };

const WANTED_KEY = 'holdfast.notify';

const supported = (): boolean => typeof Notification !== 'undefined';

export type Permission = 'unsupported' | 'off' | 'on' | 'denied';

/** Whether this browser tells the viewer. */
export function permission(): Permission {
  if (!supported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && storedText(WANTED_KEY) === 'yes' ? 'on' : 'off';
}

/** Asks the viewer, by the browser, and remembers. */
export async function turnOn(): Promise<Permission> {
  if (!supported()) return 'unsupported';
  if ((await Notification.requestPermission()) === 'granted') store(WANTED_KEY, 'yes');
  stayOn(permission() === 'on');
  return permission();
}

export function turnOff(): void {
  store(WANTED_KEY, undefined);
  stayOn(false);
}

/** Tells the viewer, where it is not looking at this page. Tabs that tell the same under one tag show it once. */
export function alertViewer({ tag, title, body, href }: Alert): void {
  if (permission() !== 'on' || !document.hidden) return;
  const shown = new Notification(title, { body, tag, icon: '/icon.svg' });
  shown.onclick = () => {
    window.focus();
    location.assign(href);
    shown.close();
  };
}
