/** Only where there is no custom server: brings the instance up when Next starts (BR-1). `server.ts` has done so before it starts Next. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { bootWithoutServer } = await import('./lib/boot');
  await bootWithoutServer();
}
