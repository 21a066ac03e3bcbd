/** What a form's action answers. Only plain data: it crosses from server to browser. */

/** One fault, at a field (`title`, `entries[3].title`) or, with an empty path, at the whole form. */
export type Fault = { path: string; message: string };

/** The page as it now is, for an edit whose base no longer holds (LP-2, W-3). Texts go by field name. */
export type Conflict = {
  /** The revision to save on next. */
  revision: number;
  author?: { name: string; kind: 'person' | 'agent' } | null;
  at?: string | null;
  /** What stands there now. */
  theirs: Record<string, string>;
  /** What stood there when the edit began, where it is known: a merge needs it. */
  base?: Record<string, string>;
};

export type Idle = { status: 'idle' };

export type Done = {
  status: 'done';
  message: string;
  /** Shown this once and never again, such as a new token. */
  once?: string;
};

export type Refused = {
  status: 'refused';
  /** The problem's code (section 10), or `offline` and `outdated`, which only the browser says. */
  code: string;
  title: string;
  detail: string;
  faults: Fault[];
  /** Everything that was typed, passwords apart; fields of one name by lines. */
  values: Record<string, string>;
  current?: Conflict;
  /** What else the refusal says: a receipt, whose turn it is, when to try again. */
  members?: Record<string, unknown>;
};

export type ActionResult = Idle | Done | Refused;

/** A server action that a form posts to. */
export type FormAction = (previous: ActionResult, data: FormData) => Promise<ActionResult>;

/** The field that says for whom a form's page was made. Another who has signed in since does not act by it. */
export const MADE_FOR = 'madeFor';

export const idle: Idle = { status: 'idle' };
