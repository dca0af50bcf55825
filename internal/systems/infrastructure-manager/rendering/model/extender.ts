import type { GardenerSchemas, Shoot, ShootSpec } from '../../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { AuditTenant, Configuration } from '../../configuration/configuration.ts';

/** Ranges of addresses that may connect to each API server with an access control list. */
export interface AccessControl {
  readonly operators: readonly string[];
  /** Of the control plane. */
  readonly controlPlane: string;
}

/** All that a Shoot is rendered from. Nothing of it is changed. */
export interface RenderingInput {
  readonly runtime: Runtime;
  /** Of the Runtime. */
  readonly spec: RuntimeSpec;
  readonly configuration: Configuration;
  /** Undefined: no audit logs. */
  readonly audit: AuditTenant | undefined;
  /** Whether Shoots have the extension that filters traffic; if not, that of a Shoot stays as it is. */
  readonly networkRestriction: boolean;
  /** Who may always connect to API servers. Undefined: access control lists are not enabled. */
  readonly accessControl: AccessControl | undefined;
  /** Secrets in the project with the credentials of registry caches, by the uid of the cache. */
  readonly cacheSecrets: ReadonlyMap<string, string>;
}

/** The same for a Shoot that exists. */
export interface PatchInput extends RenderingInput {
  readonly live: Shoot;
}

/** The fields that one extender sets. */
export interface ShootPart {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<Omit<ShootSpec, 'kubernetes'>>;
  readonly kubernetesVersion?: string;
  /** Joined with the ranges of the Runtime. */
  readonly networking?: Partial<GardenerSchemas['Networking']>;
  readonly kubeAPIServer?: GardenerSchemas['KubeAPIServerConfig'];
  readonly kubelet?: GardenerSchemas['KubeletConfig'];
}

/** Sets a part of the Shoot, by one rule. @throws RenderingError */
export type Extender<Input extends RenderingInput = RenderingInput> = (input: Input) => ShootPart;

/** The Shoot with a further part. A later part wins for a field of the spec; fields of the API server are joined. */
export function extend(shoot: Shoot & { spec: ShootSpec }, part: ShootPart): Shoot & { spec: ShootSpec } {
  const { annotations, labels, spec, kubernetesVersion: version, kubeAPIServer, kubelet, networking } = part;
  const { metadata, spec: before } = shoot;
  const server = { ...before.kubernetes.kubeAPIServer, ...kubeAPIServer };
  return {
    ...shoot,
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
    },
    spec: {
      ...before,
      ...spec,
      ...(networking === undefined ? {} : { networking: { ...before.networking, ...networking } }),
      kubernetes: {
        ...before.kubernetes,
        ...(version === undefined ? {} : { version }),
        ...(Object.keys(server).length === 0 ? {} : { kubeAPIServer: server }),
        ...(kubelet === undefined ? {} : { kubelet: { ...before.kubernetes.kubelet, ...kubelet } }),
      },
    },
  };
}
