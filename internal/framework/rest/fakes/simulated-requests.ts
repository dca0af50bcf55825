/** What a request to a simulated API is: its operation, and whether it has the credentials. */
import type { IncomingMessage } from 'node:http';
import type { RestDefinition, Route } from '../definition.ts';
import type { RestAuthentication } from '../rest-api.ts';
import { splitRoute } from '../rest-calls.ts';
import type { RestSample } from './rest-sample.ts';

export type RestVerb = 'create' | 'read' | 'update' | 'delete' | 'operation';

export interface SimulatedKind {
  readonly name: string;
  readonly definition: RestDefinition;
  readonly sample: RestSample;
}

export interface Call {
  readonly parameters: Record<string, string>;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Operation {
  readonly verb: RestVerb;
  readonly kind: SimulatedKind;
  readonly route: Route;
  readonly pattern: readonly string[];
  /** Whether a request is for this kind, where several kinds have the same route. Default: true. */
  isFor?(call: Pick<Call, 'parameters' | 'body'>): boolean;
  handle(call: Call): Answer;
}

export interface Match {
  readonly operation: Operation;
  readonly parameters: Record<string, string>;
}

/** Kinds may have routes in common, e.g. that of operations that end later. `/folders/default` goes before `/folders/{id}`. */
export function matches(
  operations: readonly Operation[],
  method: string,
  { pathname, searchParams }: URL,
): readonly Match[] {
  const steps = pathname.split('/');
  const found: Match[] = [];
  for (const operation of operations) {
    if (!operation.route.startsWith(`${method} `) || operation.pattern.length !== steps.length) continue;
    const parameters: Record<string, string> = {};
    const fits = operation.pattern.every((part, index) => {
      const step = steps[index] ?? '';
      const name = /^\{([^{}]+)\}$/.exec(part)?.[1];
      if (name === undefined) return part === step;
      parameters[name] = decodeURIComponent(step);
      return true;
    });
    for (const [name, value] of new URLSearchParams(splitRoute(operation.route).query)) {
      const parameter = /^\{([^{}]+)\}$/.exec(value)?.[1];
      const isOfId = operation.kind.definition.id.parts.some((part) => part.parameter === parameter);
      if (parameter !== undefined && (isOfId || operation.verb === 'create'))
        parameters[parameter] = searchParams.get(name) ?? '';
    }
    if (fits) found.push({ operation, parameters });
  }
  const count = ({ parameters }: Match) => Object.keys(parameters).length;
  const least = Math.min(...found.map(count));
  return found.filter((each) => count(each) === least);
}

export function isAuthorized(
  request: IncomingMessage,
  url: URL,
  authentication: RestAuthentication | { readonly method: 'basic' },
  secret: string,
): boolean {
  const { authorization } = request.headers;
  switch (authentication.method) {
    case 'none':
      return true;
    case 'bearer':
    case 'client-credentials':
      return authorization === `Bearer ${secret}`;
    case 'basic':
      return authorization === `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`;
    case 'api-key':
      return authentication.in === 'header'
        ? request.headers[authentication.name.toLowerCase()] === secret
        : url.searchParams.get(authentication.name) === secret;
    case 'headers':
      return Object.keys(authentication.members).every(
        (name) => request.headers[name.toLowerCase()] === secret,
      );
    default:
      return authentication satisfies never;
  }
}

export function credentialsText(authentication: RestAuthentication, secret: string, url: string): string {
  const { method } = authentication;
  if (method === 'headers')
    return JSON.stringify(
      Object.fromEntries(Object.values(authentication.members).map((name) => [name, secret])),
    );
  if (method === 'basic') return JSON.stringify({ username: 'user', password: secret });
  if (method === 'client-credentials')
    return JSON.stringify({ clientId: 'user', clientSecret: secret, tokenUrl: `${url}/simulated-token` });
  return secret;
}
