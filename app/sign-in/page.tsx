import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { Field } from '@/components/field';
import { Form } from '@/components/form';
import { Submit } from '@/components/submit';
import { safeReturnPath } from '../support/return-path';
import { viewer } from '../support/viewer';
import { signIn } from './actions';

export const metadata: Metadata = { title: 'Sign in' };

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ to?: string | string[] }> }) {
  const to = safeReturnPath((await searchParams).to);
  if (await viewer()) redirect(to);
  return (
    <div className="mx-auto w-full max-w-sm pt-6 sm:pt-16">
      <h1 className="text-[1.75rem] font-semibold">Sign in</h1>
      <p className="mt-1.5 mb-6 text-ink-soft">Operators give out names and passwords here. Agents use tokens and need no sign-in.</p>
      <div className="card p-5 sm:p-6">
        <Form action={signIn} label="Sign in" hidden={{ to }}>
          <Field name="name" label="Name" autoComplete="username" autoCapitalize="none" spellCheck={false} required maxLength={60} />
          <Field name="password" label="Password" type="password" autoComplete="current-password" required maxLength={200} />
          <Submit pendingText="Signing in…">Sign in</Submit>
        </Form>
      </div>
    </div>
  );
}
