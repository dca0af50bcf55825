/** The ConfigMap with the authentication configuration of a Shoot. */
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { jsonEqual } from '../../../../framework/base/json/json-equal.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import { type ConfigMap, configMaps, isNotFound, keyString } from '../../../../framework/kube/index.ts';
import {
  authenticationConfigInformer,
  digestOfConfig,
  type StoredAuthenticationConfig,
} from '../../gardener/authentication-configs.ts';
import { namespaceOf } from '../../gardener/gardener.ts';
import { ask, gardenerRefusal } from '../../gardener/refusal.ts';
import { authenticationConfigName } from '../../shoot-metadata.ts';
import { RenderingProblem } from '../rendering-problem.ts';
import { type RuntimeRun, shootNameOf } from '../run.ts';
import { messages } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import { rendered } from './prepare-rendering.ts';

/** Of a Shoot: the digest of the ConfigMap that was stored for it. Gardener does not watch the ConfigMap. */
const annotationDigest = 'infrastructuremanager.kyma-project.io/authentication-config';

/** Of each reconcile: serializing the document takes as long as the rendering of the Shoot. */
const configs = new WeakMap<RuntimeRun, ConfigMap>();

function render(run: RuntimeRun): ConfigMap {
  const config = configs.get(run) ?? rendered(run, (runtime) => run.rendering.authenticationConfig(runtime));
  configs.set(run, config);
  return config;
}

/** The ConfigMap as the informer has it; undefined: it has none. */
export function knownAuthenticationConfig(run: RuntimeRun): StoredAuthenticationConfig | undefined {
  const { gardener, context, object } = run;
  const shoot = shootNameOf(object);
  if (shoot === undefined) return undefined;
  const key = { namespace: namespaceOf(gardener), name: authenticationConfigName(shoot) };
  return authenticationConfigInformer(context.informersAt(gardener.cluster), gardener).get(keyString(key));
}

/**
 * Whether the ConfigMap is as it would be rendered now, and the Shoot was written after that; or the Shoot was written by another
 * program, or by former rules, which note nothing. Costs no request.
 */
export function isAuthenticationConfigApplied(run: RuntimeRun, { metadata }: Shoot): boolean {
  const noted = metadata.annotations?.[annotationDigest];
  if (noted === undefined) return true;
  const digest = digestOfConfig(render(run));
  return noted === digest && knownAuthenticationConfig(run)?.digest === digest;
}

/** Whether users of the Shoot are authenticated by a ConfigMap. */
export const usesAuthenticationConfig = ({ spec }: Shoot): boolean =>
  spec?.kubernetes.kubeAPIServer?.structuredAuthentication !== undefined;

/** The Shoot with a note of the ConfigMap that was stored for it, if it uses one. */
export function withAuthenticationConfig(run: RuntimeRun, shoot: Shoot): Shoot {
  if (!usesAuthenticationConfig(shoot)) return shoot;
  const annotations = {
    ...shoot.metadata.annotations,
    [annotationDigest]: digestOfConfig(render(run)),
  };
  return { ...shoot, metadata: { ...shoot.metadata, annotations } };
}

/**
 * Creates the ConfigMap, or makes it as rendered.
 *
 * @returns whether an existing one was changed: then Gardener has to reconcile the Shoot
 * @throws RenderingProblem if Gardener refuses it
 */
export async function storeAuthenticationConfig(run: RuntimeRun): Promise<boolean> {
  const { gardener, context } = run;
  const wanted = render(run);
  const { name, namespace = '' } = wanted.metadata;
  const { client } = gardener;
  try {
    const found = await ask(() => client.get(configMaps, { namespace, name }, context)).catch(
      undefinedIfMissing,
    );
    if (found !== undefined && jsonEqual(found.data, wanted.data)) return false;
    context.guard.assertMayWrite();
    const { data = {} } = wanted;
    await ask<unknown>(() =>
      found === undefined
        ? client.create(configMaps, wanted, context)
        : client.update(configMaps, { ...found, data }, context),
    );
    return found !== undefined;
  } catch (cause) {
    const refusal = gardenerRefusal(cause);
    if (refusal !== 'refused' && refusal !== 'forbidden') throw cause;
    throw new RenderingProblem(reasons.oidcConfigurationError, messages.authenticationConfigFailed, {
      cause,
    });
  }
}

/** Deletes the ConfigMap of the Runtime's Shoot, if there is one. */
export async function deleteAuthenticationConfig(run: RuntimeRun): Promise<void> {
  const { gardener, context } = run;
  const shoot = shootNameOf(run.object);
  if (shoot === undefined) return;
  const key = { namespace: namespaceOf(gardener), name: authenticationConfigName(shoot) };
  const found = await ask(() => getIfExists(gardener.client, configMaps, key, context));
  if (found === undefined) return;
  const { uid = '', resourceVersion = '' } = found.metadata;
  const preconditions = { uid, resourceVersion };
  context.guard.assertMayWrite();
  await ask(() => gardener.client.delete(configMaps, key, { ...context, preconditions })).catch(
    undefinedIfMissing,
  );
}

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};
