/** The kind: connector and external client. */
import { messageOf, WaitingError } from 'provider-kyma/base';
import type { KubeClient, ObjectWatcher } from 'provider-kyma/kube';
import { isNotFound, secrets } from 'provider-kyma/kube';
import type { ExternalClient, ManagedKind } from 'provider-kyma/managed';
import { available, externalNameFrom, setConditions, unavailable } from 'provider-kyma/managed';
import { type Greeting, greetings } from './apis/hello.example.org/v1alpha1/greeting.gen.ts';
import { createGreeterApi, type GreeterApi } from './greeter-api.ts';

export type GreetingParts = { url: string; client: KubeClient; objectWatcher: ObjectWatcher };

export function greetingKind(parts: GreetingParts): ManagedKind<Greeting> {
  return {
    type: greetings,
    connector: {
      connect: async (greeting, { signal }) =>
        greetingClient(createGreeterApi(parts.url, await readToken(parts, greeting, signal))),
    },
    connectFailed: (greeting, error, { clock }) =>
      setConditions(greeting, clock, unavailable(messageOf(error))),
    // The id follows from the resource, so Observe finds the result of a lost Create.
    deterministicExternalName: true,
    observeAfterCreate: true,
    creationGracePeriodMs: 0,
    initializers: [],
  };
}

/** Reads the token in each reconcile. If it is missing, the resource waits until the Secret changes. */
async function readToken({ client, objectWatcher }: GreetingParts, greeting: Greeting, signal: AbortSignal) {
  const { name, key } = greeting.spec.forProvider.tokenSecretRef;
  const { namespace } = greeting.metadata;
  const secret = await client.get(secrets, { namespace, name }, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const token = secret?.data?.[key];
  if (token !== undefined) return Buffer.from(token, 'base64').toString();
  const seen = secret?.metadata.resourceVersion ?? 'absent';
  throw new WaitingError(`Secret ${namespace}/${name} ${secret ? `has no key ${key}` : 'not found'}`, {
    targets: [objectWatcher.target(secrets, { namespace, name }, seen)],
  });
}

function greetingClient(api: GreeterApi): ExternalClient<Greeting> {
  const put: ExternalClient<Greeting>['create'] = async (greeting, { signal }) => {
    await api.put(idOf(greeting), greeting.spec.forProvider.text, signal);
    return {};
  };
  return {
    observe: async (greeting, { signal, clock }) => {
      const id = idOf(greeting);
      const found = await api.find(id, signal);
      if (found === undefined) return { state: 'absent', externalName: id };
      greeting.status = { ...greeting.status, atProvider: { text: found.text } };
      setConditions(greeting, clock, available());
      if (found.text === greeting.spec.forProvider.text) return { state: 'present', upToDate: true };
      return { state: 'present', upToDate: false, diff: 'the text differs' };
    },
    create: put,
    update: put,
    delete: async (greeting, { signal }) => {
      await api.remove(idOf(greeting), signal);
      return {};
    },
  };
}

/** The recorded external name, if any. A user can set it to import an existing greeting. */
function idOf(greeting: Greeting): string {
  const { namespace, name } = greeting.metadata;
  return externalNameFrom(greeting) ?? `${namespace}.${name}`;
}
