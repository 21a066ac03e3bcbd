// For hosts without the custom server, which answers this path ahead of Next.
import { app } from '@/lib/api/app';

export const dynamic = 'force-dynamic';

const answer = (request: Request) => app.fetch(request);
export { answer as GET, answer as HEAD };
