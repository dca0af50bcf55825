/** A request as rules see it. */
export interface ProxiedRequest {
  /** Path and query. */
  readonly url: string;
  readonly path: string;
  readonly method: string;
  /** Empty for a GET. */
  readonly body: string;
  readonly isWatch: boolean;
}

export type ProxyAction =
  /** Responds itself; the API server does not see the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  /** Until `resume`: the request is not forwarded, or its response is not. */
  | { readonly kind: 'hold'; readonly when: 'before' | 'after' }
  /** Holds back events of watches, those that are open included. The connections stay open. */
  | { readonly kind: 'stall' }
  /** Responds to a read as to the first one of the same URL under this rule. */
  | { readonly kind: 'replay' };

export interface ProxyRule {
  readonly on: (request: ProxiedRequest) => boolean;
  /** Of the matching requests only so many. Default: all. */
  readonly first?: number;
  readonly do: ProxyAction;
}

export interface ProxyRuleHandle {
  /** Requests to which it has applied; 0 for `stall`. */
  hits(): number;
  remove(): void;
}

export interface ProxyRules {
  add(rule: ProxyRule): ProxyRuleHandle;
  clear(): void;
  /** The action for a request. Counts it. */
  meet(request: ProxiedRequest): ProxyAction | undefined;
  /** Whether events of a watch are held back now. */
  isStalled(request: ProxiedRequest): boolean;
}

export function createProxyRules(): ProxyRules {
  const rules = new Map<ProxyRule, number>();
  const matching = (request: ProxiedRequest, isStall: boolean) =>
    [...rules].find(
      ([{ on, first = Number.POSITIVE_INFINITY, do: action }, hits]) =>
        (action.kind === 'stall') === isStall && hits < first && on(request),
    );
  return {
    add: (given) => {
      const rule = { ...given };
      let hits = 0;
      rules.set(rule, 0);
      return {
        // The count outlives the rule.
        hits: () => {
          hits = rules.get(rule) ?? hits;
          return hits;
        },
        remove: () => void rules.delete(rule),
      };
    },
    clear: () => rules.clear(),
    meet: (request) => {
      const [rule, hits] = matching(request, false) ?? [];
      if (rule === undefined || hits === undefined) return undefined;
      rules.set(rule, hits + 1);
      return rule.do;
    },
    isStalled: (request) => matching(request, true) !== undefined,
  };
}

/** Requests whose path starts with `path`, of these methods. Default: all methods. */
export const under =
  (path: string, ...methods: readonly string[]) =>
  (request: ProxiedRequest): boolean =>
    request.path.startsWith(path) && (methods.length === 0 || methods.includes(request.method));

export const watchesUnder =
  (path: string) =>
  ({ isWatch, path: of }: ProxiedRequest): boolean =>
    isWatch && of.startsWith(path);

/** The response of an API server that refuses an update of an outdated version. */
export const conflict: ProxyAction = {
  kind: 'answer',
  status: 409,
  body: status(
    409,
    'Conflict',
    'the object has been modified; please apply your changes to the latest version',
  ),
};

/** The response of an API server that no longer has the version from which to watch or list. */
export const expired: ProxyAction = {
  kind: 'answer',
  status: 410,
  body: status(410, 'Expired', 'too old resource version'),
};

/** A Status of the API server. */
export function status(code: number, reason: string, message: string) {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message };
}
