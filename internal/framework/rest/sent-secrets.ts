/** The values of Secrets that requests send, and whether they have changed since: the API does not return them. */
import { hash } from 'node:crypto';
import { kindOf, type WatchedObject, withTargets } from '../base/errors/errors.ts';
import { isObject, ownMember } from '../base/json/json-value.ts';
import { wasDeleted } from '../kube/index.ts';
import { annotationOf, type ReconcileContext, setAnnotation } from '../managed/index.ts';
import {
  changedSecrets,
  fieldPath,
  hasSecretWithin,
  isFixed,
  type JsonObject,
  type RestDefinition,
  type RestField,
  type RestResource,
  secretRefName,
} from './definition.ts';
import type { PathValue, SecretValues } from './request-bodies.ts';
import type { RestApi, SecretKeyRef } from './rest-api.ts';

export interface SentSecretsOptions<R extends RestResource> {
  readonly definition: RestDefinition<R>;
  readonly api: Pick<RestApi, 'secretValue'>;
  readonly specOf: (resource: R) => JsonObject;
}

export interface SentSecrets<R> {
  /** Of the Secrets whose values the requests of this reconcile have. */
  readonly targets: readonly WatchedObject[];
  /** Their values, and a digest of their versions, by which a change is noticed. */
  read(resource: R, ctx: ReconcileContext): Promise<SecretValues & { readonly versions: string }>;
  /** @param versions that were sent */
  record(resource: R, versions: string): void;
  /** What an update was to send is not known to have arrived. */
  forget(resource: R): void;
  /**
   * Why Secrets must be sent: text for users. No reason are those of what is imported, which has values already, and one that is gone, as
   * some are after the creation.
   */
  unsent(resource: R, ctx: ReconcileContext): Promise<readonly string[]>;
  /** A value of a Secret that the API refuses may be corrected without a change of the spec. */
  explained<T>(write: () => Promise<T>): Promise<T>;
}

/** What was sent last. No hash of the values, which could be guessed by it. */
const annotationSecrets = 'rest.provider-kyma.io/secrets';
const NONE = 'none';
/** They are sent with the next update. */
const UNSENT = 'unsent';

export function sentSecrets<R extends RestResource>({
  definition,
  api,
  specOf,
}: SentSecretsOptions<R>): SentSecrets<R> {
  const { fields } = definition;
  const targets: WatchedObject[] = [];
  /** Whether an update sends some. */
  const areUpdated =
    definition.update !== undefined &&
    Object.values(fields).some(
      (each) => (each.secret || hasSecretWithin(each)) && !isFixed(definition, each),
    );

  /** In the order of the fields; of one within a list for each item that has it. */
  const refsOf = (resource: R) => {
    const spec = specOf(resource);
    return Object.entries(fields).flatMap(([name, field]) => {
      const found: { readonly name: string; readonly field: RestField; readonly ref: SecretKeyRef }[] = [];
      const note = (object: JsonObject, of: string) => {
        const ref = ownMember(object, secretRefName(of));
        if (isSecretKeyRef(ref)) found.push({ name, field, ref });
        return object;
      };
      if (field.secret) note(spec, name);
      changedSecrets(ownMember(spec, name), field, note);
      return found;
    });
  };

  const read = async (
    resource: R,
    ctx: ReconcileContext,
    isOf: (field: RestField) => boolean = () => true,
  ): Promise<SecretValues & { readonly versions: string }> => {
    const values: PathValue[] = [];
    const texts = new Map<string, string>();
    const versions: unknown[] = [];
    for (const { name, field, ref } of refsOf(resource)) {
      if (!isOf(field)) continue;
      const { text, version, target } = await api.secretValue(resource, ref, ctx);
      if (field.secret) values.push([fieldPath(name, field), text]);
      else texts.set(refKey(ref), text);
      if (!isFixed(definition, field)) versions.push([name, ref.name, ref.key, version]);
      if (!targets.some(({ description }) => description === target.description)) targets.push(target);
    }
    const spec = specOf(resource);
    const fill = (object: Record<string, unknown>, of: string) => {
      const ref = ownMember(object, secretRefName(of));
      return isSecretKeyRef(ref) ? { ...object, [of]: texts.get(refKey(ref)) } : object;
    };
    const within = Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) =>
        hasSecretWithin(field) && isOf(field) && ownMember(spec, name) !== undefined
          ? [[name, changedSecrets(ownMember(spec, name), field, fill)]]
          : [],
      ),
    );
    return { values, within, versions: versions.length === 0 ? NONE : digestOf(versions) };
  };

  const record = (resource: R, versions: string): void => {
    if (areUpdated && versions !== annotationOf(resource, annotationSecrets))
      setAnnotation(resource, annotationSecrets, versions);
  };

  return {
    targets,
    read: (resource, ctx) => read(resource, ctx),
    record,
    forget: (resource) => {
      if (annotationOf(resource, annotationSecrets) !== undefined)
        setAnnotation(resource, annotationSecrets, UNSENT);
    },
    unsent: async (resource, ctx) => {
      if (!areUpdated || wasDeleted(resource)) return [];
      try {
        const { versions } = await read(resource, ctx, (field) => !isFixed(definition, field));
        const sent = annotationOf(resource, annotationSecrets);
        if (sent !== undefined && sent !== versions && versions !== NONE)
          return ['Secrets of spec.forProvider have changed since they were sent'];
        record(resource, versions);
        return [];
      } catch (error) {
        if (kindOf(error) !== 'waiting') throw error;
        return [];
      }
    },
    explained: async (write) => {
      try {
        return await write();
      } catch (error) {
        throw kindOf(error) === 'terminal' ? withTargets(error, targets) : error;
      }
    },
  };
}

const digestOf = (versions: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(versions), 'base64url').slice(0, 16);

const refKey = ({ namespace, name, key }: SecretKeyRef): string => JSON.stringify([namespace, name, key]);

function isSecretKeyRef(value: unknown): value is SecretKeyRef {
  return isObject(value) && typeof value.name === 'string' && typeof value.key === 'string';
}
