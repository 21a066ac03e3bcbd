'use client';

import { Bell, BellOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { announce } from '../live-region';
import { permission, turnOff, turnOn, type Permission } from './notify';

/** Whether this browser also tells of notices while nobody looks at a page of ours. */
export function NotifyToggle() {
  const [state, setState] = useState<Permission>();
  // eslint-disable-next-line react-hooks/set-state-in-effect -- the browser knows it, not the server
  useEffect(() => setState(permission()), []);
  if (state === undefined || state === 'unsupported') return null;
  if (state === 'denied') return <p className="text-[0.875rem] text-ink-soft">This browser does not let us notify you. Allow it in the browser’s settings for this site.</p>;
  const on = state === 'on';
  const turn = async () => {
    if (on) turnOff();
    const next = on ? permission() : await turnOn();
    setState(next);
    announce(next === 'on' ? 'This browser will tell you while you look elsewhere.' : 'This browser will not tell you.');
  };
  return (
    <button type="button" role="switch" aria-checked={on} onClick={turn} className="button">
      {on ? <Bell aria-hidden className="size-4" /> : <BellOff aria-hidden className="size-4" />}
      Browser notifications: {on ? 'on' : 'off'}
    </button>
  );
}
