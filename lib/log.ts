import { pino } from 'pino';

/** One line of JSON an event, on standard error. Never a token, a password, a cookie or a body. */
export const log = pino({ level: process.env.HOLDFAST_LOG ?? 'info', base: null }, pino.destination({ dest: 2, sync: true }));
