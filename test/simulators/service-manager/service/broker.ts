import { randomBytes } from 'node:crypto';

export interface BrokerInstance {
  readonly id: string;
  /** Catalog name of its plan. */
  readonly plan: string;
}

export interface BrokerBinding {
  readonly id: string;
  readonly name: string;
  readonly instance: BrokerInstance;
}

/** The service broker behind Service Manager, which makes the external resources of instances and bindings. */
export interface ServiceBroker {
  provision(instance: BrokerInstance): void;
  deprovision(instance: BrokerInstance): void;
  /** The credentials of a new binding: any JSON value. */
  bind(binding: BrokerBinding): unknown;
  unbind(binding: BrokerBinding): void;
}

/** Makes nothing; credentials are random texts. */
export const sampleBroker: ServiceBroker = {
  provision: () => undefined,
  deprovision: () => undefined,
  bind: ({ name }) => ({
    uri: `https://${name}.sample.example`,
    username: `user-${name}`,
    password: randomBytes(12).toString('base64url'),
    settings: { pool: 8 },
  }),
  unbind: () => undefined,
};
