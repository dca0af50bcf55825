import type { Method, Route } from './definition.ts';

const LOWER = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

export function splitRoute(route: Route): { readonly method: Method; readonly path: string } {
  const space = route.indexOf(' ');
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1) };
}

/** The names of the parameters of a path, in order. */
export const parametersIn = (path: string): string[] =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? '');

export const lowerMethod = (method: Method) => LOWER[method];
