/** The report of `doctor` on an object: how it is read, and how checks become a report. */
import { messageOf } from '../base/errors/errors.ts';
import { kubectlArguments, objectArguments, objectCommand, shellCommand } from '../base/text/shell.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isNotFound } from '../kube/errors/errors.ts';
import { type KubeObject, keyString, type ObjectKey } from '../kube/object/object.ts';
import { groupResource, type ResourceType } from '../kube/object/resource-type.ts';
import { type Check, type Diagnosis, type Remedy, skippedCheck } from './diagnosis.ts';
import type { DiagnosisQuestion } from './module.ts';

/** What a check found. */
export type CheckResult = Omit<Check, 'name'>;

/** The report with the checks in their order; those without a check are skipped. */
export async function reportOf(
  options: DiagnosisQuestion,
  names: readonly string[],
  follow: AsyncIterable<Check>,
): Promise<Diagnosis> {
  const checks: Check[] = [];
  for await (const check of follow) checks.push(check);
  const skipped = names.slice(checks.length).map(skippedCheck);
  return {
    mapping: keyString(keyIn(options)),
    healthy: skipped.length === 0 && checks.every(({ status }) => status === 'ok' || status === 'warning'),
    checks: [...checks, ...skipped],
  };
}

export interface ReadObjectOptions extends Pick<DiagnosisQuestion, 'signal'> {
  readonly client: KubeClient;
  /** Of kubectl, for an object of another cluster than the management cluster. */
  readonly flags?: readonly string[];
  /** What the check says if it does not exist. Default: it failed, with the command that lists those that do. */
  readonly missing?: Remedy & { readonly status?: 'waiting' };
}

/** Reads an object; undefined if it cannot be read. One that is being deleted is waited for, with the finalizers that hold it. */
export async function* readObject<T extends KubeObject>(
  name: string,
  { client, signal, flags = [], missing }: ReadObjectOptions,
  type: ResourceType<T>,
  key: ObjectKey,
): AsyncGenerator<Check, T | undefined> {
  const object = `${type.kind} ${keyString(key)}`;
  const cluster = client.clusterName;
  try {
    const found = await client.get(type, key, { signal });
    const { deletionTimestamp, finalizers = [] } = found.metadata;
    if (deletionTimestamp === undefined) {
      yield { name, status: 'ok', object, cluster, detail: 'found' };
    } else {
      // Also while no program runs that could show it in a condition.
      const holders =
        finalizers.length === 0 ? '' : `, and waits for the finalizers ${finalizers.join(', ')}`;
      const detail = `found; it is being deleted since ${deletionTimestamp}${holders}`;
      yield {
        name,
        status: 'waiting',
        object,
        cluster,
        detail,
        remediation: shellCommand('kubectl', ...flags, ...objectArguments('get', groupResource(type), key)),
      };
    }
    return found;
  } catch (error) {
    const [kubectl = '', ...words] = kubectlArguments(key.namespace);
    const remediation = shellCommand(kubectl, ...flags, ...words, 'get', groupResource(type));
    const remedy = isNotFound(error) && missing !== undefined ? missing : { remediation };
    yield { name, status: 'failed', object, cluster, detail: messageOf(error), ...remedy };
    return undefined;
  }
}

export const keyIn = ({ name, namespace = 'default' }: DiagnosisQuestion) => ({ name, namespace });

/** A command of kubectl about an object. */
export const command = (verb: string, type: ResourceType, key: ObjectKey): string =>
  objectCommand(verb, groupResource(type), key);
