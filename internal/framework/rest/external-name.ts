import { ProviderError } from '../base/errors/errors.ts';
import { digitsOf } from '../base/json/json-text.ts';
import { ownMember, valueAt } from '../base/json/json-value.ts';
import { recordedExternalName } from '../managed/index.ts';
import {
  fieldPath,
  type JsonObject,
  type RestDefinition,
  type RestId,
  type RestResource,
} from './definition.ts';

/** Values of the parameters of paths, by name. */
export type Parameters = Readonly<Record<string, string>>;

export interface ExternalNames {
  /** The ID does not depend on the response of create. */
  readonly isKnownBefore: boolean;
  /** The recorded external name, or the one that follows from the resource; undefined while only the API knows it. */
  of(resource: RestResource): string | undefined;
  /** The parameters that an external name has. @throws ProviderError kind `terminal` if it is not one of the kind */
  parse(externalName: string): Parameters;
  /**
   * The external name of a created or found external resource.
   * @param known parameters that the response has elsewhere. Default: none
   * @throws ProviderError if a field of the ID is missing
   */
  from(resource: RestResource, external: JsonObject, known?: Parameters): string;
  /** Whether an item of a list is the external resource with these parameters. */
  matches(item: JsonObject, parameters: Parameters): boolean;
  /** Fields of the spec that the recorded external name contradicts. */
  changed(resource: RestResource, parameters: Parameters): readonly string[];
}

export function externalNames({
  id: { parts },
  noun,
  fields,
}: Pick<RestDefinition, 'id' | 'noun' | 'fields'>): ExternalNames {
  const isKnownBefore = parts.every(({ from }) => from !== 'response');
  const join = (values: readonly string[]) =>
    parts.length === 1 ? (values[0] ?? '') : values.map(escaped).join('/');
  const ofSpec = (resource: RestResource, field: string) =>
    textOf(valueAt(resource.spec.forProvider, [field]));
  const own = (resource: RestResource, { from, parameter, field = parameter }: RestId['parts'][number]) =>
    from === 'name' ? resource.metadata.name : ofSpec(resource, field);
  const form = parts.map(({ parameter }) => `{${parameter}}`).join('/');
  return {
    isKnownBefore,
    of: (resource) => {
      const recorded = recordedExternalName(resource);
      if (recorded !== undefined) return recorded;
      if (!isKnownBefore) return undefined;
      const values = parts.map((part) => own(resource, part));
      return values.every((value) => value !== undefined) ? join(values) : undefined;
    },
    parse: (externalName) => {
      const values = parts.length === 1 ? [externalName] : externalName.split('/').map(unescaped);
      if (values.length !== parts.length || values.some((value) => value === undefined || value === ''))
        throw new ProviderError(
          'terminal',
          `the external name ${JSON.stringify(externalName)} is not of the form ${form}: correct the annotation crossplane.io/external-name`,
        );
      return Object.fromEntries(parts.map(({ parameter }, index) => [parameter, values[index] ?? '']));
    },
    from: (resource, external, known) =>
      join(
        parts.map((part) => {
          const { parameter, field = parameter } = part;
          const value =
            part.from === 'response'
              ? (textOf(valueAt(external, field.split('.'))) ?? ownMember(known, part.parameter))
              : own(resource, part);
          if (value !== undefined) return value;
          const where = part.from === 'response' ? 'the response' : 'spec.forProvider';
          throw new ProviderError('transient', `cannot name the ${noun}: ${where} has no ${field}`);
        }),
      ),
    matches: (item, parameters) => {
      const own = parts.filter(({ from }) => from !== 'spec');
      return (own.length === 0 ? parts : own).every(
        ({ from, parameter, field = parameter, listed = field }) => {
          const path = from === 'spec' ? fieldPath(field, ownMember(fields, field) ?? {}) : listed.split('.');
          return textOf(valueAt(item, path)) === parameters[parameter];
        },
      );
    },
    changed: (resource, parameters) =>
      parts
        .filter(({ from, parameter, field = parameter }) => {
          const value = from === 'spec' ? ofSpec(resource, field) : undefined;
          return value !== undefined && value !== parameters[parameter];
        })
        .map(({ parameter, field = parameter }) => field),
  };
}

/** The values of the parameters of a path in an address that ends like it; undefined if it does not. */
export function parametersOfAddress(address: string | undefined, path: string): Parameters | undefined {
  const { pathname } = URL.parse(address ?? '', 'https://api.invalid') ?? {};
  const given = (pathname ?? '').replace(/\/$/, '').split('/').toReversed();
  const found: Record<string, string> = {};
  for (const [index, step] of path
    .replace(/\?.*|\/$/g, '')
    .split('/')
    .toReversed()
    .entries()) {
    const name = /^\{([^{}]+)\}$/.exec(step)?.[1];
    const value = unescaped(given[index] ?? '');
    if (name === undefined ? step !== '' && step !== value : !value) return undefined;
    if (name !== undefined) found[name] = value ?? '';
  }
  return found;
}

/** IDs are texts, numbers or flags; anything else is none. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  const digits = digitsOf(value);
  if (digits !== undefined) return digits;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

const escaped = (value: string) => value.replaceAll('%', '%25').replaceAll('/', '%2F');

function unescaped(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
