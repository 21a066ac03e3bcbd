import { BookOpenCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { Empty } from '@/components/empty';
import { Pagination } from '@/components/pagination';
import { Principal } from '@/components/principal';
import { Section } from '@/components/section';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { Verified } from '@/components/verified';
import { readContainer } from '@/lib/containers/read';
import { readLandings } from '@/lib/register/read';
import { verifyRegister } from '@/lib/register/verify';
import { first, load, withQuery, type Search } from '../../../support/load';
import { ContainerFrame } from '../frame';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Register' };

const COLUMNS = [
  { key: 'sequence', label: 'Number', lead: true },
  { key: 'message', label: 'Message', wide: true },
  { key: 'entries', label: 'Entries', align: 'end' as const },
  { key: 'author', label: 'Pushed by' },
  { key: 'grant', label: 'Grant', align: 'end' as const },
  { key: 'at', label: 'Landed' },
  { key: 'digest', label: 'Digest' },
];

/** The register: every accepted landing, and a button that verifies the chain. */
export default async function Register({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const cursor = first(query.cursor);
  const path = `/c/${slug}/register`;
  const verify = first(query.verify) !== undefined;
  const [container, landings, verification] = await load(path, (db, who) =>
    Promise.all([readContainer(db, slug, who), readLandings(db, slug, who, { cursor, limit: 50 }), verify ? verifyRegister(db, slug, who) : undefined]),
  );
  return (
    <ContainerFrame container={container}>
      <Section
        title="Register"
        id="register"
        flush
        intro="The append-only, digest-chained record of everything that was pushed. Nothing here is ever changed."
        aside={
          <form aria-label="Verify the chain">
            <button type="submit" name="verify" value="1" className="button button-small">
              <BookOpenCheck aria-hidden className="size-4" />
              Verify the chain
            </button>
          </form>
        }
      >
        {verification && (
          <div className="px-4 pb-4 sm:px-5">
            <Verified verification={verification} />
          </div>
        )}
        {landings.items.length === 0 ? (
          <Empty title="Nothing has landed yet" icon={BookOpenCheck}>
            A lead pushes drafts, or an agent posts a landing. Each accepted one gets the next number here.
          </Empty>
        ) : (
          <Table
            caption="Landings"
            columns={COLUMNS}
            rows={landings.items.map((landing) => ({
              id: landing.sequence,
              cells: {
                sequence: (
                  <Link href={`${path}/${landing.sequence}`} className="link font-medium tabular-nums" aria-label={`Landing ${landing.sequence}`}>
                    {landing.sequence}
                  </Link>
                ),
                message: landing.message && <bdi className="break-words">{landing.message}</bdi>,
                entries: <span className="tabular-nums">{landing.entries.length}</span>,
                author: <Principal principal={landing.author} />,
                grant: <span className="font-mono">{landing.grant}</span>,
                at: <Time at={landing.at} />,
                digest: (
                  <code title={landing.digest} className="text-[0.8125rem]">
                    {landing.digest.slice(0, 12)}…
                  </code>
                ),
              },
            }))}
          />
        )}
      </Section>
      <Pagination first={cursor ? path : null} next={landings.next && withQuery(path, { cursor: landings.next })} />
    </ContainerFrame>
  );
}
