/** `doctor runtime --all`: what the next patch of each Runtime would change in its Shoot. A dry run: nothing is written. */
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { messageOf } from '../../../framework/base/index.ts';

import { listAll } from '../../../framework/kube/cache/cache.ts';
import { configMaps, type KubeClient, keyOf, keyString } from '../../../framework/kube/index.ts';
import type { Check, Diagnosis } from '../../../framework/module/diagnosis.ts';
import { namespaceOf } from '../gardener/gardener.ts';
import { planUpdate } from '../gardener/plan-update.ts';
import { fieldsOfRenderers, isRenderedToday, readAppliedFields } from '../gardener/shoot-fields.ts';
import { annotationRuntimeGeneration } from '../metadata.ts';
import type { RenderingFacts } from '../rendering/model/extender.ts';
import type { ShootRendering } from '../rendering/shoot-rendering.ts';
import { accessControlOf } from '../runtime/access-control.ts';
import { auditDataOfAuditLog, auditLogOf } from '../runtime/audit-log.ts';
import { type AuditLog, auditLogs } from '../runtime/audit-log-kind.ts';
import { cacheSecretsOf } from '../runtime/shoot-of-runtime.ts';

export interface PreviewOptions {
  /** Of the management cluster. */
  readonly client: KubeClient;
  readonly gardener: KubeClient;
  /** Without `garden-`. */
  readonly project: string;
  readonly namespace: string;
  readonly rendering: ShootRendering;
  /** Whether API servers have access control lists. */
  readonly accessControlEnabled: boolean;
  /** Whether Runtimes may have audit logs of their own. Default false. */
  readonly auditLogsEnabled?: boolean;
  readonly signal: AbortSignal;
}

/** One check for each Runtime, in the order of their names: `ok` if its Shoot would not change. */
export async function previewPatches(options: PreviewOptions): Promise<Diagnosis> {
  const { client, gardener, project, namespace, signal } = options;
  const found = await listAll(client, runtimes, { signal, namespace });
  const live = await listAll(gardener, shoots, { signal, namespace: namespaceOf({ project }) });
  const byName = new Map(live.map((shoot) => [shoot.metadata.name, shoot]));
  const common = {
    accessControl: await readAccessControl(options),
    auditLogs: options.auditLogsEnabled ? await listAll(client, auditLogs, { signal, namespace }) : [],
  };
  const checks = found
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((runtime) => checkOf(runtime, byName.get(runtime.spec?.shoot.name ?? ''), options, common));
  return { mapping: `Runtimes of ${namespace}`, healthy: true, checks };
}

async function readAccessControl({
  client,
  rendering,
  namespace,
  accessControlEnabled,
  signal,
}: PreviewOptions): Promise<RenderingFacts['accessControl']> {
  if (!accessControlEnabled) return undefined;
  const name = rendering.accessControlName();
  const list = await client.get(configMaps, { namespace, name }, { signal });
  return accessControlOf({ get: () => list }, namespace, name);
}

/** What Shoots are rendered from beside their Runtimes. */
interface CommonFacts extends Pick<RenderingFacts, 'accessControl'> {
  readonly auditLogs: readonly AuditLog[];
}

/** Where its Shoot sends audit logs. */
function auditOf(
  runtime: Runtime,
  rendering: ShootRendering,
  known: readonly AuditLog[],
): RenderingFacts['audit'] {
  const own = auditLogOf(runtime, known);
  if (own !== undefined) return auditDataOfAuditLog(own);
  const shared = rendering.auditData(runtime);
  return 'data' in shared ? shared.data : undefined;
}

function checkOf(
  runtime: Runtime,
  live: Shoot | undefined,
  { rendering }: PreviewOptions,
  { accessControl, auditLogs: known }: CommonFacts,
): Check {
  const check = { name: runtime.metadata.name, object: `Runtime ${keyString(keyOf(runtime))}` };
  if (live === undefined) return { ...check, status: 'ok', detail: 'it has no Shoot' };
  try {
    const facts = {
      audit: auditOf(runtime, rendering, known),
      accessControl,
      cacheSecrets: cacheSecretsOf(runtime, live),
    };
    const applied = readAppliedFields(live, live.metadata.annotations?.[annotationRuntimeGeneration]);
    const wanted = rendering.patch(runtime, live, facts);
    const record = applied ?? fieldsOfRenderers(live);
    const fields = planUpdate(live, wanted, { applied: record }).differences.map(({ path }) =>
      path.join('.'),
    );
    if (fields.length === 0) return { ...check, status: 'ok', detail: 'no patch would change its Shoot' };
    const when = isRenderedToday(live) ? 'a patch changes' : 'its next patch changes';
    return { ...check, status: 'warning', detail: `${when} ${[...new Set(fields)].join(', ')}` };
  } catch (error) {
    return { ...check, status: 'warning', detail: `its Shoot cannot be rendered: ${messageOf(error)}` };
  }
}
