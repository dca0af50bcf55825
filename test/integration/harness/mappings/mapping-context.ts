import type { ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Managed } from '../../../../internal/framework/managed/resource/managed.ts';
import type { Objects } from '../../../environment/objects.ts';
import type { HanaCloudSimulator } from '../../../simulators/hana-cloud/simulator.ts';
import type { ControlPlanes } from '../control-planes/control-planes.ts';

/** The label by which a file's provider knows the file's resources. */
export const environmentLabel = 'test.example.org/environment';

/** Where a scenario takes place. */
export interface MappingContext {
  readonly id: string;
  readonly planes: ControlPlanes;
  readonly management: Objects;
  readonly kyma: Objects;
  readonly simulator: HanaCloudSimulator;
  /** Called with the type of every resource that a test may create, all with the environment's label. */
  readonly made: (type: ResourceType<Managed>) => void;
}
