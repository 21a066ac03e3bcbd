'use server';

import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { THEME_COOKIE, themeOf } from '@/components/theme';
import { currentPath, isScripted } from './request';
import { cookieBase } from './set-cookies';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Keeps the reader's theme in a cookie, so that the server sends every page in it. */
export async function setTheme(data: FormData): Promise<void> {
  (await cookies()).set(THEME_COOKIE, themeOf(data.get('theme')), { ...cookieBase(), httpOnly: true, maxAge: YEAR_SECONDS });
  if (!(await isScripted())) redirect(await currentPath());
}
