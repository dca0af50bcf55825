/** The external client of a kind that a definition describes. */
import { messageOf, ProviderError } from '../base/errors/errors.ts';
import { rounded } from '../base/json/json-text.ts';
import { cloneJson, isObject, ownMember, valueAt } from '../base/json/json-value.ts';
import { wasDeleted } from '../kube/index.ts';
import {
  available,
  type ConnectionDetails,
  createIncomplete,
  type ExternalClient,
  type Observation,
  type ReconcileContext,
  setConditions,
  unavailable,
} from '../managed/index.ts';
import { covers, type Difference, differences, isDeleted, lateValues, withoutNulls } from './compare.ts';
import {
  type ConnectionValue,
  comparedValue,
  detailRoutes,
  fieldPath,
  isFixed,
  type JsonObject,
  longForm,
  pathOf,
  type RestCreate,
  type RestDefinition,
  type RestDelete,
  type RestOperation,
  type RestResource,
  type RestUpdate,
  sentValue,
} from './definition.ts';
import { externalNames, type Parameters, parametersOfAddress, textOf } from './external-name.ts';
import { requestBodies } from './request-bodies.ts';
import type { RestApi, RestConnection } from './rest-api.ts';
import { effectUnknown, parametersIn, type RestResponse, restCalls, splitRoute } from './rest-calls.ts';
import {
  endsLater,
  forgetOperation,
  type LaterVerb,
  readOperation,
  recordedOperation,
  recordOperation,
} from './running-operation.ts';
import { sentSecrets } from './sent-secrets.ts';

export interface RestClientOptions<R extends RestResource> {
  readonly definition: RestDefinition<R>;
  readonly connection: RestConnection;
  readonly api: Pick<RestApi, 'secretValue'>;
  /** Fields of the spec with the values of references within them. Default: none has any. */
  readonly filled?: JsonObject;
}

export function restClient<R extends RestResource>({
  definition,
  connection,
  api,
  filled = {},
}: RestClientOptions<R>): ExternalClient<R> {
  const { noun, id, fields, ready, hooks, immutable = 'refuse' } = definition;
  const names = externalNames(definition);
  const calls = restCalls(definition, connection);
  const create: RestCreate = longForm(definition.create);
  const update: RestUpdate | undefined = definition.update && longForm(definition.update);
  const remove: RestDelete = longForm(definition.delete);
  const specOf = (resource: R): JsonObject => ({ ...resource.spec.forProvider, ...filled });
  const bodies = requestBodies(definition);
  const secrets = sentSecrets({ definition, api, specOf });
  const parametersFor = (resource: R, known: Parameters | undefined) => (name: string) =>
    ownMember(known, name) ??
    textOf(ownMember(specOf(resource), ownMember(definition.parameters, name) ?? name));
  /** What Observe has read and compared, for the update of the same reconcile. */
  let observation: Observed = { read: {}, changed: [], moved: [], hasOther: false };
  let etag: string | undefined;
  /** An operation that has failed, until the reconciler is told. */
  let failed: { readonly verb: LaterVerb; readonly message: string } | undefined;

  const identityOf = (resource: R) => {
    const externalName = names.of(resource);
    return externalName === undefined ? undefined : { externalName, parameters: names.parse(externalName) };
  };

  const objectIn = (body: unknown, result: string | undefined, route: string): JsonObject => {
    const external = valueAt(body, pathOf(result));
    if (isObject(external)) return external;
    throw new ProviderError('transient', `${route} answered without the ${noun}`);
  };

  const readExternal = async (
    resource: R,
    parameters: Parameters,
    ctx: ReconcileContext,
  ): Promise<JsonObject | undefined> => {
    const { read: by } = definition;
    if (typeof by === 'object' && 'list' in by) {
      for await (const item of calls.list(by, parametersFor(resource, parameters), ctx))
        if (names.matches(item, parameters) && !isDeleted(item, definition)) return item;
      return undefined;
    }
    const { route, result } = typeof by === 'string' ? { route: by, result: undefined } : by;
    const response = await calls.read(route, parametersFor(resource, parameters), ctx);
    etag = definition.ifMatch ? response?.etag : undefined;
    const external = response && objectIn(response.body, result, route);
    return external === undefined || isDeleted(external, definition) ? undefined : external;
  };

  /** The result of a create whose response or operation was lost. */
  const findLost = async (
    resource: R,
    ctx: ReconcileContext,
    isLost = createIncomplete(resource),
  ): Promise<JsonObject | undefined> => {
    const { read: by } = definition;
    const list = id.findIn ?? (typeof by === 'object' && 'list' in by ? by : undefined);
    if (id.findBy === undefined || list === undefined || !isLost) return undefined;
    const spec = specOf(resource);
    const isIt = (item: JsonObject) =>
      id.findBy?.every((name) => {
        const field = ownMember(fields, name) ?? {};
        const desired = comparedValue(sentValue(ownMember(spec, name), field), field);
        return covers(desired, valueAt(item, fieldPath(name, field)));
      });
    for await (const item of calls.list(list, parametersFor(resource, undefined), ctx))
      if (isIt(item) && !isDeleted(item, definition)) return item;
    return undefined;
  };

  const present = async (
    resource: R,
    external: JsonObject,
    externalName: string,
    ctx: ReconcileContext,
  ): Promise<Observation> => {
    const observed = hooks?.observed?.(external) ?? external;
    setStatus(resource, Object.fromEntries(shownFields(definition, observed)));
    const state = ready && textOf(valueAt(observed, pathOf(ready.field)));
    if (ready !== undefined && state !== undefined && ready.pending?.includes(state)) {
      setConditions(resource, ctx.clock, unavailable(`the ${noun} is ${state}`));
      return {
        state: 'pending',
        operation: `the ${noun} is ${state}`,
        externalName,
        checkAfterMs: ready.pollAfterMs ?? 5000,
      };
    }
    const isReady = ready === undefined || (state !== undefined && ready.values.includes(state));
    const condition = isReady ? available() : unavailable(`the ${noun} is ${state ?? 'without a state'}`);
    setConditions(resource, ctx.clock, condition);

    const late = lateValues(definition, specOf(resource), observed);
    Object.assign(resource.spec.forProvider, cloneJson(late));
    const found = differences(definition, specOf(resource), observed);
    const extra = hooks?.diff?.(resource, observed);
    const moved = names.changed(resource, names.parse(externalName));
    const unsent = await secrets.unsent(resource, ctx);
    const others = [
      ...unsent,
      ...(extra === undefined ? [] : [extra]),
      ...(failed?.verb === 'update' ? ['the last update has failed'] : []),
    ];
    const texts = [
      ...moved.map((name) => `${name} is another than that of ${externalName}`),
      ...found.map(({ text }) => text),
      ...others,
    ];
    observation = { read: observed, changed: found, moved, hasOther: others.length > 0 };
    const isReplaced = immutable === 'replace' && found.some(({ field }) => isFixed(definition, field));
    // The deletion for a replacement that is not wanted any more.
    if (failed?.verb === 'delete' && !isReplaced && !wasDeleted(resource))
      forgetOperation(resource, 'delete');
    return {
      state: 'present',
      upToDate: texts.length === 0,
      externalName,
      lateInitialized: Object.keys(late).length > 0,
      connectionDetails: {
        ...detailsOf(definition, 'observed', external),
        ...(isReady ? await otherDetails(resource, externalName, ctx) : {}),
      },
      targets: [...connection.targets, ...secrets.targets],
      ...(texts.length === 0 ? {} : { diff: texts.join(', ') }),
      ...(isReplaced ? { replace: 'drift' as const } : {}),
    };
  };

  /** Connection details that operations of their own have. */
  const otherDetails = async (
    resource: R,
    externalName: string,
    ctx: ReconcileContext,
  ): Promise<ConnectionDetails> => {
    if (resource.spec.writeConnectionSecretToRef === undefined || wasDeleted(resource)) return {};
    const parameters = parametersFor(resource, names.parse(externalName));
    const found: Record<string, string | Uint8Array> = {};
    for (const route of detailRoutes(definition)) {
      const response = await calls.read(route, parameters, ctx);
      if (isObject(response?.body)) Object.assign(found, detailsOf(definition, route, response.body));
    }
    return found;
  };

  const write = async (
    { route, ...form }: Pick<RestUpdate, 'route' | 'request' | 'contentType'>,
    resource: R,
    body: JsonObject | readonly JsonObject[],
    ctx: ReconcileContext,
  ) => {
    const parameters = parametersFor(resource, identityOf(resource)?.parameters);
    const response = await calls.write(
      route,
      { ...form, parameters, body, doing: 'update', ifMatch: etag },
      ctx,
    );
    etag &&= response?.etag ?? etag;
    return response;
  };

  /** The state of the operation that is recorded. */
  const stateOf = async (
    resource: R,
    verb: LaterVerb,
    later: RestOperation | undefined,
    ctx: ReconcileContext,
  ) => {
    const recorded = recordedOperation(resource, verb);
    if (recorded === undefined || later === undefined) return undefined;
    const { baseUrl } = connection.session.hosts;
    return { recorded, ...(await readOperation(recorded, later, { calls, baseUrl }, ctx)) };
  };

  const recordLater = (
    resource: R,
    verb: LaterVerb,
    later: RestOperation | undefined,
    response: RestResponse | undefined,
  ): boolean => {
    if (later === undefined || response === undefined || !endsLater(later, response)) return false;
    recordOperation(resource, verb, later, response);
    return true;
  };

  /** The next reconcile requests it again, with backoff. */
  const throwFailed = (resource: R, verb: LaterVerb): void => {
    if (failed?.verb !== verb) return;
    forgetOperation(resource, verb);
    if (verb === 'update') secrets.forget(resource);
    throw new ProviderError('transient', `cannot ${verb} ${noun}: ${failed.message}`);
  };

  const inProgress = (verb: LaterVerb, checkAfterMs: number): Observation => ({
    state: 'pending',
    operation: `the ${noun} is being ${PARTICIPLES[verb]}`,
    checkAfterMs,
  });

  /** Of an update or a deletion that has begun and has not ended. */
  const observeChange = async (resource: R, ctx: ReconcileContext): Promise<Observation | undefined> => {
    for (const [verb, later] of [
      ['update', update?.later],
      ['delete', remove.later],
    ] as const) {
      const operation = await stateOf(resource, verb, later, ctx);
      if (operation?.state === 'running') return inProgress(verb, operation.pollAfterMs);
      if (operation?.state === 'failed') failed = { verb, message: operation.message };
      // Whether it took effect is compared.
      else if (operation !== undefined) forgetOperation(resource, verb);
    }
    return undefined;
  };

  return {
    observe: async (resource, ctx) => {
      failed = undefined;
      const operation = await stateOf(resource, 'create', create.later, ctx);
      if (operation !== undefined && create.later !== undefined) {
        const { recorded } = operation;
        if (operation.state === 'running') return inProgress('create', operation.pollAfterMs);
        if (operation.state === 'failed') {
          failed = { verb: 'create', message: operation.message };
          return { state: 'absent', createFailed: true };
        }
        if (operation.state === 'gone' && !names.isKnownBefore) {
          const lost = await findLost(resource, ctx, true);
          const { route, read = 'GET of its Location' } = { ...create.later, route: create.route };
          if (lost === undefined)
            return {
              state: 'absent',
              advice: `${read} answered 404 for the operation ${recorded} of ${route}, so the ID of the ${noun} is not known; if it is another operation that reads it, state create.later`,
            };
          forgetOperation(resource, 'create');
          return present(resource, lost, names.from(resource, lost), ctx);
        }
        forgetOperation(resource, 'create');
        // It is another one than before, if that one was deleted elsewhere and created again.
        if (operation.state === 'succeeded' && !names.isKnownBefore) {
          const externalName = names.from(resource, operation.external);
          const external = await readExternal(resource, names.parse(externalName), ctx);
          return external === undefined
            ? { state: 'absent', externalName, advice: notFoundAdvice(externalName) }
            : present(resource, external, externalName, ctx);
        }
      }
      const change = await observeChange(resource, ctx);
      if (change !== undefined) return change;
      const identity = identityOf(resource);
      if (identity === undefined) {
        const lost = await findLost(resource, ctx);
        return lost === undefined
          ? { state: 'absent' }
          : present(resource, lost, names.from(resource, lost), ctx);
      }
      const { externalName, parameters } = identity;
      const external = await readExternal(resource, parameters, ctx);
      return external === undefined
        ? {
            state: 'absent',
            advice: notFoundAdvice(externalName),
            ...(names.isKnownBefore ? { externalName } : {}),
          }
        : present(resource, external, externalName, ctx);
    },

    create: async (resource, ctx) => {
      throwFailed(resource, 'create');
      // Those of what was there before.
      forgetOperation(resource, 'update');
      forgetOperation(resource, 'delete');
      const { versions, ...values } = await secrets.read(resource, ctx);
      const own = bodies.of(specOf(resource), () => true, values, idInBody(resource));
      const body = hooks?.request?.(own, resource, 'create') ?? own;
      const known = names.isKnownBefore ? identityOf(resource)?.parameters : undefined;
      const once = create.route.startsWith('POST ');
      const request = { ...formOf(create), parameters: parametersFor(resource, known), body, once };
      const response = await secrets.explained(() =>
        calls.write(create.route, { ...request, doing: 'create' }, ctx),
      );
      secrets.record(resource, versions);
      if (understood(() => recordLater(resource, 'create', create.later, response))) return {};
      if (names.isKnownBefore) {
        const external = valueAt(response?.body, pathOf(create.result));
        return isObject(external) ? { connectionDetails: detailsOf(definition, 'created', external) } : {};
      }
      const named = () => {
        const located = response?.body === undefined ? parametersAt(response?.location) : undefined;
        const external = located === undefined ? objectIn(response?.body, create.result, create.route) : {};
        return {
          externalName: names.from(resource, external, located),
          connectionDetails: detailsOf(definition, 'created', external),
        };
      };
      return once ? understood(named) : named();
    },

    update: async (resource, ctx) => {
      throwFailed(resource, 'update');
      const { changed, moved, hasOther } = observation;
      const refused = [
        ...moved,
        ...changed.filter(({ field }) => isFixed(definition, field)).map(({ name }) => name),
      ];
      if (refused.length > 0)
        throw new ProviderError(
          'terminal',
          `cannot update ${noun}: ${refused.join(', ')} cannot be changed after the creation; take the change back, or create another resource`,
        );
      const { versions, ...values } = await secrets.read(resource, ctx);
      const spec = specOf(resource);
      for (const { name, field } of changed) {
        if (field.update !== undefined)
          await write(
            { route: field.update },
            resource,
            bodies.of(spec, (other) => other === name, { ...values, values: [] }),
            ctx,
          );
      }
      const isOwn = changed.some(({ field }) => field.update === undefined);
      if (update !== undefined && (isOwn || hasOther)) {
        const own = update.body === 'json-patch' ? undefined : bodies.update(spec, observation, values);
        const body = own
          ? (hooks?.request?.(own, resource, 'update') ?? own)
          : bodies.patch(spec, observation, values);
        const form = { route: update.route, ...formOf(update) };
        const response = await secrets.explained(() => write(form, resource, body, ctx));
        secrets.record(resource, versions);
        recordLater(resource, 'update', update.later, response);
      }
      return {};
    },

    delete: async (resource, ctx) => {
      throwFailed(resource, 'delete');
      const identity = identityOf(resource);
      if (identity === undefined) return {};
      const parameters = parametersFor(resource, identity.parameters);
      const response = await calls.write(remove.route, { parameters, ifMatch: etag }, ctx);
      return { endsLater: recordLater(resource, 'delete', remove.later, response) };
    },

    disconnect: () => connection.session.close(),
  };

  /** Of what was created. */
  function notFoundAdvice(externalName: string): string {
    const { read } = definition;
    const route = typeof read === 'string' ? read : 'list' in read ? read.list : read.route;
    const where =
      create.later === undefined
        ? `if the response of ${create.route} names an operation that ends later, state create.later`
        : `if its operation has the ${noun} elsewhere, state create.later.result`;
    const otherwise = names.isKnownBefore ? 'correct read' : 'if it has the ID elsewhere, state id';
    return `${route} does not find the ${noun} ${JSON.stringify(externalName)}; ${where}, or ${otherwise}`;
  }

  /** The parameters that the header Location of a response has, as the path of one has them. */
  function parametersAt(location: string | undefined): Parameters | undefined {
    const { read } = definition;
    const one = typeof read === 'string' ? read : 'route' in read ? read.route : remove.route;
    return location === undefined ? undefined : parametersOfAddress(location, splitRoute(one).path);
  }

  /** Parts of the ID that the client chooses and that no parameter of the path of create has. */
  function idInBody(resource: R): JsonObject {
    if (!names.isKnownBefore) return {};
    const inPath = new Set(parametersIn(splitRoute(create.route).path));
    const parameters = identityOf(resource)?.parameters ?? {};
    return Object.fromEntries(
      id.parts
        .filter(({ from, parameter }) => from === 'name' && !inPath.has(parameter))
        .map(({ parameter, field = parameter }) => [field, parameters[parameter]]),
    );
  }
}

const PARTICIPLES = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** What follows from the response of a create that has succeeded: if it cannot be understood, a second create could have a second effect. */
function understood<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw effectUnknown(messageOf(error));
  }
}

interface Observed {
  readonly read: JsonObject;
  readonly changed: readonly Difference[];
  /** Fields of the spec that contradict the external name. */
  readonly moved: readonly string[];
  /** `hooks.diff` has found a difference. */
  readonly hasOther: boolean;
}

const formOf = ({ request, contentType }: Pick<RestUpdate, 'request' | 'contentType'>) => ({
  ...(request === undefined ? {} : { request }),
  ...(contentType === undefined ? {} : { contentType }),
});

function shownFields({ status = {} }: Pick<RestDefinition, 'status'>, observed: JsonObject) {
  const names = isList(status) ? status.map((name) => [name, name] as const) : Object.entries(status);
  return names.flatMap(([name, as]) => {
    const value = withoutNulls(rounded(ownMember(observed, as) ?? valueAt(observed, pathOf(as))));
    return value === undefined ? [] : [[name, value] as const];
  });
}

const isList = (status: NonNullable<RestDefinition['status']>): status is readonly string[] =>
  Array.isArray(status);

function setStatus(resource: RestResource, atProvider: object): void {
  resource.status = { ...resource.status, atProvider };
}

function detailsOf(
  { connection = {} }: Pick<RestDefinition, 'connection'>,
  from: ConnectionValue['from'],
  external: JsonObject,
): ConnectionDetails {
  return Object.fromEntries(
    Object.entries(connection).flatMap(([key, value]) => {
      const text = value.from === from ? textOf(valueAt(external, pathOf(value.field))) : undefined;
      return text === undefined ? [] : [[key, text]];
    }),
  );
}
