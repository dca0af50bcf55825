import type { Managed } from '../../../../internal/runtime/resource/managed.ts';
import type { Objects } from '../../../environment/objects.ts';
import type { HanaCloudSimulator } from '../../../simulators/hana-cloud/simulator.ts';
import type { ControlPlanes } from '../control-planes/control-planes.ts';
import type { ManagedObject } from './managed-object.ts';

/** The label by which a file's provider knows the file's resources. */
export const worldLabel = 'test.example.org/world';

/** Where a scenario takes place. */
export interface Surroundings {
  readonly id: string;
  readonly planes: ControlPlanes;
  readonly management: Objects;
  readonly kyma: Objects;
  readonly simulator: HanaCloudSimulator;
  /** Told of every resource that a test makes. */
  readonly made: (resource: Pick<ManagedObject<Managed>, 'forget'>) => void;
}
