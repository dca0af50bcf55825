import type { Json, Service } from './source.ts';
import { choiceOf, fail, listOf, numberOf, type Place, recordOf, stringOf } from './strict-yaml.ts';

/** Stands until an install states its own service. The names are those of kubebuilder. */
export const placeholderService: Service = { namespace: 'system', name: 'webhook-service' };

/** The service of a webhook; what is not stated is the placeholder's. */
export function readService(place: Place): Service {
  return {
    ...placeholderService,
    ...recordOf(place, {}, { namespace: stringOf, name: stringOf, port: integerOf(1, 65_535) }),
  };
}

export function readPath(place: Place): string {
  const path = stringOf(place);
  return /^(\/[a-zA-Z0-9._-]+)+$/.test(path) ? path : fail(place, 'must be a path that begins with /');
}

export function readReviewVersions(place: Place): string[] {
  const versions = listOf(place).map((item) => choiceOf(item, ['v1', 'v1beta1']));
  return versions.length > 0 ? versions : fail(place, 'must have an entry');
}

export function integerOf(lowest: number, highest: number): (place: Place) => number {
  return (place) => {
    const value = numberOf(place);
    if (Number.isInteger(value) && value >= lowest && value <= highest) return value;
    return fail(place, `must be an integer from ${lowest} to ${highest}`);
  };
}

/** How the API server reaches a webhook. The install adds caBundle. */
export function clientConfig({ namespace, name, port }: Service, path: string): Json {
  return { service: { namespace, name, path, ...(port === undefined ? {} : { port }) } };
}
