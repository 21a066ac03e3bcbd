import { Network } from 'lucide-react';
import type { Metadata } from 'next';
import { ArrowStatus } from '@/components/arrow-status';
import { Diff } from '@/components/diff';
import { Empty } from '@/components/empty';
import { Form } from '@/components/form';
import { GridPicture } from '@/components/grid-picture';
import { Link } from '@/components/link';
import { ProjectStatus } from '@/components/project-status';
import { Section } from '@/components/section';
import { Submit } from '@/components/submit';
import { Table } from '@/components/table';
import { TextArea } from '@/components/text-area';
import { readContainer } from '@/lib/containers/read';
import { gridYaml } from '@/lib/grid/parse';
import { findGrid, readGridVersion } from '@/lib/project/read';
import { load, positive, type Search } from '../../../support/load';
import { viewer } from '../../../support/viewer';
import { ContainerFrame } from '../frame';
import { init, rebuild } from './actions';

type Props = { params: Promise<{ slug: string }>; searchParams: Search };

export const metadata: Metadata = { title: 'Grid' };

const COLUMNS = [
  { key: 'id', label: 'Arrow', lead: true },
  { key: 'status', label: 'Status' },
  { key: 'context', label: 'Context' },
  { key: 'stratum', label: 'Stratum', align: 'end' as const },
  { key: 'roles', label: 'From, to' },
  { key: 'requires', label: 'Requires' },
  { key: 'dependencies', label: 'Depends on' },
  { key: 'clauses', label: 'Clauses', wide: true },
];

/** The grid: its arrows with their statuses, as a picture and as a table, and the difference between versions. */
export default async function GridPage({ params, searchParams }: Props) {
  const { slug } = await params;
  const query = await searchParams;
  const path = `/c/${slug}/grid`;
  const { container, view, before, after } = await load(path, async (db, who) => {
    const container = await readContainer(db, slug, who);
    const view = await findGrid(db, slug, who);
    const to = positive(query.to);
    const from = positive(query.from);
    return {
      container,
      view,
      before: from ? await readGridVersion(db, slug, who, from) : undefined,
      after: to ? await readGridVersion(db, slug, who, to) : undefined,
    };
  });
  const who = await viewer();
  const operates = who?.role === 'operator' && !container.archivedAt;
  if (!view) {
    return (
      <ContainerFrame container={container}>
        <Section title="Grid" id="grid" flush={!operates}>
          <Empty title="No grid yet" icon={Network}>
            A grid says which role does what in which context, what that requires, and by which clauses it is judged. An operator writes the first version.
          </Empty>
          {operates && (
            <Form action={init} label="First version of the grid" hidden={{ slug }} keep={`grid.${slug}`} labels={{ grid: 'Grid' }}>
              <TextArea name="grid" label="Grid" mono rows={20} required hint="YAML or JSON: contexts, roles and arrows." />
              <Submit>Write version 1</Submit>
            </Form>
          )}
        </Section>
      </ContainerFrame>
    );
  }
  const statuses = new Map(view.arrows.map((a) => [a.id, a]));
  return (
    <ContainerFrame container={container}>
      <Section title={`Grid, version ${view.version}`} id="grid" aside={<ProjectStatus project={view.project} />}>
        {view.grid.arrows.length === 0 ? <p className="text-ink-soft">This grid has no arrows.</p> : <GridPicture grid={view.grid} statuses={new Map(view.arrows.map((a) => [a.id, a.status]))} />}
        <p className="mt-4 text-[0.875rem] text-ink-soft">
          Digest <code className="text-[0.8125rem] break-all">{view.digest}</code>
        </p>
      </Section>
      <Section title="Arrows" id="arrows" flush>
        <Table
          caption="Arrows of the grid"
          columns={COLUMNS}
          rows={view.grid.arrows.map((arrow) => {
            const { status, conservative } = statuses.get(arrow.id)!;
            return {
              id: arrow.id,
              cells: {
                id: <span className="font-mono text-[0.875rem] break-all">{arrow.id}</span>,
                status: <ArrowStatus status={status} conservative={conservative} />,
                context: arrow.context,
                stratum: arrow.stratum,
                roles: `${arrow.from} → ${arrow.to}`,
                requires: arrow.requires.join(', '),
                dependencies: arrow.dependencies.map((d) => (d.section ? `${d.artifact} (${d.section})` : d.artifact)).join(', '),
                clauses: arrow.clauses.map((c) => `${c.id}: ${c.concept} (${c.type})`).join('; '),
              },
            };
          })}
        />
      </Section>
      <Section title="Versions" id="versions" intro="Versions are kept for ever. Amendments make them.">
        <form aria-label="Compare versions" className="flex flex-wrap items-end gap-3">
          {(['from', 'to'] as const).map((name) => (
            <label key={name} className="text-[0.875rem] font-medium">
              {name === 'from' ? 'From version' : 'To version'}
              <input
                name={name}
                type="number"
                min={1}
                max={view.version}
                required
                defaultValue={name === 'from' ? (before?.version ?? Math.max(1, view.version - 1)) : (after?.version ?? view.version)}
                className="input mt-1 block w-28"
              />
            </label>
          ))}
          <button type="submit" className="button">
            Compare
          </button>
          <Link href={`/c/${slug}/amendments`} className="button button-quiet">
            Amendments
          </Link>
        </form>
        {before && after && (
          <div className="mt-4">
            <Diff label={`Version ${before.version} to ${after.version}`} before={gridYaml(before.grid)} after={gridYaml(after.grid)} />
          </div>
        )}
        <details className="mt-4">
          <summary className="w-fit cursor-pointer font-medium">The document</summary>
          <pre tabIndex={0} aria-label="The grid as YAML" className="mt-3 max-h-[60vh] overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-[0.8125rem]">
            {gridYaml(view.grid)}
          </pre>
        </details>
        {operates && (
          <div className="mt-5 border-t border-line pt-4">
            <p className="mb-3 text-[0.9375rem] text-ink-soft">The grid is mirrored to files for other tools. If they were changed by hand, write them anew from the record.</p>
            <Form action={rebuild} label="Rebuild the mirror" hidden={{ slug }}>
              <Submit variant="plain">Rebuild the mirror from the record</Submit>
            </Form>
          </div>
        )}
      </Section>
    </ContainerFrame>
  );
}
