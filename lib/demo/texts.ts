import type { NewContainer } from '../containers/create';
import type { Grid } from '../grid/document';
import type { PrincipalKind, Role } from '../roles';

/** The demo's people, one for each thing that one can do. */
export const PEOPLE = {
  ann: { name: 'Ann', role: 'coworker', kind: 'person' },
  ben: { name: 'Ben', role: 'coworker', kind: 'person' },
  cleo: { name: 'Cleo', role: 'coworker', kind: 'person' },
  olga: { name: 'Olga', role: 'operator', kind: 'person' },
  rita: { name: 'Rita', role: 'reader', kind: 'person' },
  agent: { name: 'Surveyor 7', role: 'coworker', kind: 'agent' },
} as const satisfies Record<string, { name: string; role: Role; kind: PrincipalKind }>;

/** By slug. `silent`: its first holder falls silent. */
export const CONTAINERS: Record<string, Omit<NewContainer, 'slug'> & { silent?: true }> = {
  'field-handbook': {
    title: 'Field handbook',
    description: 'How we work on the water. **Open**: nobody holds the lock, nobody waits.',
    prefix: 'FH',
    public: true,
  },
  glossary: { title: 'Glossary', description: 'One word, one meaning. **Held** by Ann, with a petition waiting.', prefix: 'GL', public: true },
  'chart-index': {
    title: 'Chart index',
    description: 'Which sheet shows what. In **handover**: Ann has the first turn, then Cleo.',
    prefix: 'CI',
    windowSeconds: 86_400,
  },
  'harbour-survey': {
    title: 'Harbour survey',
    description: 'Soundings and positions. Its **holder is silent**: the head of the queue may take over, or an operator may clear the lock.',
    prefix: 'HS',
    silent: true,
  },
  'tide-tables': {
    title: 'Tide tables',
    description: 'Predictions for a year. Its first holder fell silent and Ben took over: the **caution** stays until he has pushed and released.',
    prefix: 'TT',
    silent: true,
  },
};

export const ENTRIES = {
  handbook: [
    { title: 'Life jackets', body: 'Worn by everyone on deck, **always**.\n\n1. Check the cartridge.\n2. Check the light.\n3. Sign the sheet.' },
    { title: 'Radio watch', body: 'Channel 16 is kept open. Reports every hour:\n\n| hour | who |\n|---|---|\n| even | helm |\n| odd | deck |' },
  ],
  glossary: [
    { title: 'Datum', body: 'The level that depths are measured from.' },
    { title: 'Fathom', body: 'Six feet, or 1.8288 m. *Not used in new entries.*' },
    { title: 'Spring tide', body: 'The largest range of the fortnight, after new and full moon.' },
  ],
  charts: [
    { title: 'Sheet 1: approaches', body: 'From the outer light to the pilot station.' },
    { title: 'Sheet 2: inner basin', body: 'Scale 1 : 5,000. Cites the old datum.' },
  ],
} as const;

/** What the glossary's leads work through. */
export const GLOSSARY_GRID: Grid = {
  contexts: ['terms', 'tides'],
  roles: ['collector', 'editor', 'reviewer'],
  arrows: [
    {
      id: 'collect-terms',
      from: 'collector',
      to: 'editor',
      context: 'terms',
      stratum: 1,
      requires: [],
      dependencies: [{ artifact: 'sources/handbook' }],
      clauses: [{ id: 'every-term-has-a-source', concept: 'every term has a source', type: 'machine' }],
    },
    {
      id: 'define-terms',
      from: 'editor',
      to: 'reviewer',
      context: 'terms',
      stratum: 2,
      requires: ['collect-terms'],
      dependencies: [{ artifact: 'style-guide', section: 'definitions' }],
      clauses: [
        { id: 'links-resolve', concept: 'every link leads to a term', type: 'machine' },
        { id: 'reads-well', concept: 'a definition reads well aloud', type: 'attested' },
      ],
    },
    {
      id: 'review-terms',
      from: 'reviewer',
      to: 'editor',
      context: 'terms',
      stratum: 3,
      requires: ['define-terms'],
      dependencies: [{ artifact: 'style-guide' }],
      clauses: [{ id: 'no-open-remark', concept: 'no remark is open', type: 'attested' }],
    },
    {
      id: 'collect-tides',
      from: 'collector',
      to: 'editor',
      context: 'tides',
      stratum: 1,
      requires: [],
      dependencies: [{ artifact: 'tables/spring' }],
      clauses: [{ id: 'matches-the-tables', concept: 'every figure matches the tables', type: 'machine' }],
    },
  ],
};
