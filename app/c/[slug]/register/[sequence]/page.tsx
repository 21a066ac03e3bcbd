import type { Metadata } from 'next';
import { Link } from '@/components/link';
import { notFound } from 'next/navigation';
import { Facts } from '@/components/facts';
import { Principal } from '@/components/principal';
import { Section } from '@/components/section';
import { Table } from '@/components/table';
import { Time } from '@/components/time';
import { readContainer } from '@/lib/containers/read';
import { readLanding } from '@/lib/register/read';
import { load, positive } from '../../../../support/load';
import { ContainerFrame } from '../../frame';

type Props = { params: Promise<{ slug: string; sequence: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { sequence } = await params;
  return { title: `Landing ${sequence}` };
}

const ENTRY_COLUMNS = [
  { key: 'identifier', label: 'Identifier', lead: true },
  { key: 'digest', label: 'Digest', wide: true },
];

/** One accepted landing. */
export default async function LandingPage({ params }: Props) {
  const { slug, sequence } = await params;
  const number = positive(sequence);
  if (number === undefined) notFound();
  const base = `/c/${slug}`;
  const [container, landing] = await load(`${base}/register/${sequence}`, (db, who) =>
    Promise.all([readContainer(db, slug, who), readLanding(db, slug, who, number)]),
  );
  const digest = (text: string) => <code className="text-[0.8125rem] break-all">{text}</code>;
  return (
    <ContainerFrame container={container}>
      <Section
        title={`Landing ${landing.sequence}`}
        id="landing"
        aside={
          <Link href={`${base}/register`} className="link">
            All landings
          </Link>
        }
      >
        {landing.message && <p dir="auto" className="mb-4 break-words whitespace-pre-line">{landing.message}</p>}
        <Facts
          facts={[
            { label: 'Pushed by', value: <Principal principal={landing.author} /> },
            { label: 'Landed', value: <Time at={landing.at} /> },
            { label: 'Grant', value: <span className="font-mono">{landing.grant}</span> },
            {
              label: 'Leases reclaimed',
              value:
                landing.reclaimed.length === 0
                  ? 'none'
                  : landing.reclaimed.map((l) => `${container.prefix}-${l.from}${l.through > l.from ? ` to ${container.prefix}-${l.through}` : ''}`).join(', '),
            },
            { label: 'Previous digest', value: digest(landing.previousDigest), wide: true },
            { label: 'Digest', value: digest(landing.digest), wide: true },
          ]}
        />
      </Section>
      <Section title="Entries" id="entries" flush>
        {landing.entries.length === 0 ? (
          <p className="px-4 pb-5 text-ink-soft sm:px-5">A push with no entries: there was nothing to land.</p>
        ) : (
          <Table
            caption="Entries of this landing"
            columns={ENTRY_COLUMNS}
            rows={landing.entries.map((e) => ({
              id: e.identifier,
              cells: {
                identifier: (
                  <Link href={`${base}/entries/${e.identifier}`} className="link font-mono">
                    {e.identifier}
                  </Link>
                ),
                digest: digest(e.digest),
              },
            }))}
          />
        )}
      </Section>
    </ContainerFrame>
  );
}
