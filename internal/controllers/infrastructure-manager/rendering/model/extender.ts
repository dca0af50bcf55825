import type { GardenerSchemas, Shoot, ShootSpec } from '../../../../../apis/gardener/kinds.ts';
import type {
  Runtime,
  RuntimeSpec,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { AuditTenant, Configuration } from '../../configuration/configuration.ts';
import type { RegistryCache } from '../../runtime/rendering.ts';

/** All that a Shoot is rendered from. Nothing of it is changed. */
export interface RenderingInput {
  readonly runtime: Runtime;
  /** Of the Runtime. */
  readonly spec: RuntimeSpec;
  readonly configuration: Configuration;
  /** Whether users are authenticated by a ConfigMap instead of fields of the Shoot. */
  readonly structuredAuth: boolean;
  /** Undefined: no audit logs. */
  readonly audit: AuditTenant | undefined;
  /** Caches of image registries. Undefined: not known, so those of the Shoot stay. */
  readonly registryCaches: readonly RegistryCache[] | undefined;
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
  readonly kubeAPIServer?: GardenerSchemas['KubeAPIServerConfig'];
}

/** Sets a part of the Shoot, by one rule. @throws RenderingError */
export type Extender<Input extends RenderingInput = RenderingInput> = (input: Input) => ShootPart;

/** The Shoot with a further part. A later part wins for a field of the spec; fields of the API server are joined. */
export function extend(shoot: Shoot & { spec: ShootSpec }, part: ShootPart): Shoot & { spec: ShootSpec } {
  const { annotations, labels, spec, kubernetesVersion: version, kubeAPIServer } = part;
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
      kubernetes: {
        ...before.kubernetes,
        ...(version === undefined ? {} : { version }),
        ...(Object.keys(server).length === 0 ? {} : { kubeAPIServer: server }),
      },
    },
  };
}
