import type { RenderingInput } from '../model/extender.ts';
import type { Extension } from './extension.ts';

export const NVIDIA_OPENSHELL = 'shoot-nvidia-openshell';

/** Sandboxes for agents on nodes with GPUs; undefined: the Runtime does not ask for them. */
export const nvidiaOpenshell = ({ spec: { shoot } }: RenderingInput): Extension | undefined =>
  shoot.enableNvidiaOpenshell === true ? { type: NVIDIA_OPENSHELL, disabled: false } : undefined;
