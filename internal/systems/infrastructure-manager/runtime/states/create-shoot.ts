import { seeds, shoots } from '../../../../../apis/gardener/kinds.ts';
import { messageOf } from '../../../../framework/base/errors/errors.ts';
import { pollAfter } from '../../../../framework/controller/index.ts';
import { listAll } from '../../../../framework/kube/cache/listed-cache.ts';
import { isAlreadyExists } from '../../../../framework/kube/index.ts';
import { MAX_NAMES } from '../../gardener/gardener.ts';
import { withRecord } from '../../gardener/plan-update.ts';
import { ask, gardenerRefusal } from '../../gardener/refusal.ts';
import { usableRegions } from '../../gardener/usable-seeds.ts';
import { reserveAuditLog } from '../audit-log/audit-logs.ts';
import { RenderingProblem } from '../rendering-problem.ts';
import { type RuntimeRun, remember } from '../run.ts';
import {
  conversionFailed,
  createFailed,
  messages,
  noSeedInRegion,
  seedsUnknown,
} from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';
import { storeAuthenticationConfig, withAuthenticationConfig } from './authentication-config.ts';
import { rememberCompared, renderPatch } from './drift.ts';
import { failLater, failUnexpectedly, retryRefused } from './fail.ts';
import { factsOf, failRendering, rendered } from './prepare-rendering.ts';
import { refuseForeignShoot } from './refuse-foreign-shoot.ts';
import { readShoot, rememberWritten } from './take-snapshot.ts';

/** Safety net beside the watch of Shoots, in ms. */
const POLL_MS = 60_000;
/** Seeds are not watched. */
const SEED_POLL_MS = 300_000;

/** Renders and creates the Shoot. */
export async function createShoot(run: RuntimeRun): Promise<Step> {
  const { object, gardener } = run;
  const { shoot: { name = '', enforceSeedLocation = false } = {} } = object.spec ?? {};
  if (gardener.project.length + name.length > MAX_NAMES) {
    const limit = `names of project ${gardener.project} and Shoot ${name} have together more than ${MAX_NAMES} characters`;
    return failUnexpectedly(run, reasons.conversionError, conversionFailed(limit));
  }
  const refused = enforceSeedLocation ? await checkSeeds(run) : undefined;
  if (refused !== undefined) return refused;
  try {
    return await create(run, name);
  } catch (error) {
    if (error instanceof RenderingProblem) return failRendering(run, error);
    const refusal = gardenerRefusal(error);
    if (refusal === undefined) throw error;
    if (refusal === 'transient' || refusal === 'conflict') return failLater(run, 'creation', error);
    return retryRefused(run, reasons.gardenerError, createFailed(messageOf(error)));
  }
}

async function create(run: RuntimeRun, name: string): Promise<Step> {
  const { gardener, context, rendering, status } = run;
  await reserveAuditLog(run);
  const facts = factsOf(run);
  const shoot = rendered(run, (runtime) => rendering.create(runtime, facts));
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite({ destructive: true });
  await storeAuthenticationConfig(run);
  context.guard.assertMayWrite();
  remember(run, { create: 'sent' });
  try {
    // A patch has less than a new Shoot, such as no domain: only what it has can be taken out again.
    const recorded = withRecord(shoot, renderPatch(run, shoot));
    const wanted = withAuthenticationConfig(run, recorded);
    const created = await ask(() => gardener.client.create(shoots, wanted, context));
    rememberWritten(run, created);
    // As after a change: what Gardener has stored in another form is not sent again.
    rememberCompared(run, created);
    remember(run, { create: 'answered' });
  } catch (error) {
    const refusal = gardenerRefusal(error);
    if (refusal !== undefined && refusal !== 'transient') remember(run, { create: 'answered' });
    if (!isAlreadyExists(error)) throw error;
    // An earlier request took effect although its response was lost.
    run.shoot = await readShoot(run, name);
    if (run.shoot !== undefined) return (await refuseForeignShoot(run)) ?? next('SelectShootProcessing');
    throw error;
  }
  status.pending({
    type: conditionTypes.provisioned,
    reason: reasons.pending,
    status: 'Unknown',
    message: messages.shootPending,
  });
  await status.store({ isResult: true });
  return end(pollAfter(POLL_MS));
}

/** How the reconcile ends if no seed of the region takes the Shoot. */
async function checkSeeds(run: RuntimeRun): Promise<Step | undefined> {
  const { gardener, context, object } = run;
  const { region = '', provider } = object.spec?.shoot ?? {};
  let regions: readonly string[];
  try {
    const all = await ask(() => listAll(gardener.client, seeds, { signal: context.signal }));
    regions = usableRegions(all, provider?.type ?? '');
  } catch (error) {
    const refusal = gardenerRefusal(error);
    if (refusal === undefined) throw error;
    if (refusal === 'transient') return failLater(run, 'creation', error);
    return retryRefused(run, reasons.gardenerError, seedsUnknown(region));
  }
  if (regions.includes(region)) return undefined;
  const message = noSeedInRegion(region, regions);
  return failUnexpectedly(run, reasons.seedNotFound, message, pollAfter(SEED_POLL_MS));
}
