/** One request as the simulator saw it. Holds no secret and no token. */
export interface RequestRecord<R extends string> {
  readonly id: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Absent for a path outside of the contract. */
  readonly route?: R;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly instance?: string;
  /** The client of the token, or of the grant. */
  readonly clientID?: string;
  /**
   * The number of the token among all granted ones, from 1. A process has tokens of its own, so this distinguishes
   * processes with the same credentials.
   */
  readonly token?: number;
  /** Requests in flight, this one included, when it came. */
  readonly inFlight: number;
  /** Those that the simulator records; never a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parsed; of routes whose bodies the simulator records. */
  readonly body?: unknown;
  /** Absent while it is in progress, and where there was no response. */
  readonly status?: number;
  /** `left`: the client went away. */
  readonly outcome: 'under way' | 'answered' | 'reset' | 'hung' | 'left';
  readonly durationMs?: number;
  /** The faults that applied to it. */
  readonly faults: readonly string[];
  /** How the request, or the simulator's own response, broke the contract. */
  readonly violation?: string;
}

export type RequestFilter<R extends string> = Partial<
  Pick<RequestRecord<R>, 'route' | 'method' | 'path' | 'instance' | 'clientID' | 'status' | 'outcome'>
> & {
  /** Only requests that came after this record. */
  readonly after?: number;
};

export interface OpenRecord<R extends string> {
  readonly record: RequestRecord<R>;
  update(change: Partial<RequestRecord<R>>): void;
  /** Ends it, once. */
  close(outcome: RequestRecord<R>['outcome'], status?: number): void;
}

export interface Journal<R extends string> {
  open(start: Pick<RequestRecord<R>, 'method' | 'path' | 'query'>): OpenRecord<R>;
  requests(filter?: RequestFilter<R>): RequestRecord<R>[];
  /** The most requests that were in flight at a time. */
  maxInFlight(): number;
  violations(): string[];
  /** Forgets what is over. */
  clear(): void;
}

export function createJournal<R extends string>(): Journal<R> {
  let records: RequestRecord<R>[] = [];
  let next = 1;
  let inFlight = 0;
  let most = 0;
  return {
    open: (start) => {
      inFlight++;
      most = Math.max(most, inFlight);
      const began = performance.now();
      let record: RequestRecord<R> = {
        id: next++,
        at: Date.now(),
        ...start,
        inFlight,
        outcome: 'under way',
        faults: [],
      };
      let open = true;
      records.push(record);
      const update = (change: Partial<RequestRecord<R>>) => {
        const changed = { ...record, ...change };
        const index = records.indexOf(record);
        if (index >= 0) records[index] = changed;
        record = changed;
      };
      return {
        get record() {
          return record;
        },
        update,
        close: (outcome, status) => {
          if (!open) return;
          open = false;
          inFlight--;
          // A client without a response disconnects in the end; only the hang counts.
          const final = record.outcome === 'hung' ? 'hung' : outcome;
          update({
            outcome: final,
            durationMs: performance.now() - began,
            ...(status === undefined ? {} : { status }),
          });
        },
      };
    },
    requests: (filter = {}) => records.filter((record) => matches(record, filter)),
    maxInFlight: () => most,
    violations: () =>
      records.flatMap(({ method, path, violation }) =>
        violation ? [`${method} ${path}: ${violation}`] : [],
      ),
    clear: () => {
      records = records.filter((record) => record.outcome === 'under way');
      most = inFlight;
    },
  };
}

function matches<R extends string>(
  record: RequestRecord<R>,
  { after, ...fields }: RequestFilter<R>,
): boolean {
  if (after !== undefined && record.id <= after) return false;
  return Object.entries(fields).every(
    ([name, value]) => value === undefined || record[name as keyof typeof fields] === value,
  );
}
