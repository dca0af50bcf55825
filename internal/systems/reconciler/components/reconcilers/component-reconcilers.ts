import type { ComponentActions, ComponentReconcilers } from '../model/component.ts';
import { cleaner } from './cleaner.ts';
import { connectivityProxy } from './connectivity-proxy/connectivity-proxy.ts';
import { eventing } from './eventing.ts';
import { rma } from './rma.ts';
import { serverless } from './serverless.ts';
import { warden } from './warden.ts';

/** Deploys and removes charts, and does nothing else: for components without a reconciler of their own. */
const base: ComponentActions = {};

/** Every component reconciler of this program, by the name that `component start` takes. */
export const componentReconcilers: ComponentReconcilers = {
  base,
  cleaner,
  'connectivity-proxy': connectivityProxy(),
  eventing,
  rma: rma(),
  serverless,
  warden,
};
