import type { ComponentReconcilers } from '../model/actions.ts';
import { base } from './base/base.ts';
import { cleaner } from './cleaner/cleaner.ts';
import { connectivityProxy } from './connectivity-proxy/connectivity-proxy.ts';
import { eventing } from './eventing/eventing.ts';
import { rma } from './rma/rma.ts';
import { serverless } from './serverless/serverless.ts';
import { warden } from './warden/warden.ts';

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
