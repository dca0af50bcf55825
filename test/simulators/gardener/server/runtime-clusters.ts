/**
 * The API servers of all Shoots, at one address: the name of the client in its certificate says whose cluster a request is for. As
 * much of an API as the infrastructure manager uses in a runtime.
 */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import type { Clock } from '../../../../internal/framework/base/time/clock.ts';
import type { KubeClient } from '../../../../internal/framework/kube/client/client.ts';
import { KubeApiError } from '../../../../internal/framework/kube/errors/errors.ts';
import {
  createMemoryClient,
  type MemoryClient,
} from '../../../../internal/framework/kube/fakes/memory-client.ts';
import {
  configMaps,
  customResourceDefinitions,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import {
  kymas,
  registryCacheConfigs,
} from '../../../../internal/systems/infrastructure-manager/registry-cache-config.ts';
import {
  clusterRoleBindings,
  openIdConnectType,
} from '../../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { json } from '../../base/answer.ts';
import { listen } from '../../base/http/listener.ts';
import type { ShootApiServer } from '../gardenlet/gardenlet.ts';
import { parsePath } from './resource-request.ts';
import { serveResource } from './serve-resource.ts';

export interface RuntimeClusters extends ShootApiServer {
  /** Of another program, in the cluster of the client with this name. */
  clientOf(name: string): KubeClient;
  /** Requests so far, by method and resource. */
  requests(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

const KINDS: readonly ResourceType[] = [
  namespaces,
  clusterRoleBindings as ResourceType,
  openIdConnectType as ResourceType,
  registryCacheConfigs as ResourceType,
  kymas as ResourceType,
  configMaps as ResourceType,
  secrets as ResourceType,
  customResourceDefinitions,
];

/** @param clients PEM of the authority of their certificates */
export async function serveRuntimeClusters(clock: Clock, clients: string): Promise<RuntimeClusters> {
  const authority = await createAuthority('runtime-clusters');
  const server = await authority.issueServer(['127.0.0.1']);
  const clusters = new Map<string, MemoryClient>();
  const requests: Record<string, number> = {};
  const clusterOf = (name: string) => {
    const cluster = clusters.get(name) ?? createMemoryClient({ clock, kinds: KINDS });
    clusters.set(name, cluster);
    return cluster;
  };
  const tls = {
    ...{ key: server.key, cert: server.certificate, ca: clients },
    requestCert: true,
    rejectUnauthorized: true,
  };
  const listener = await listen(tls, { address: '127.0.0.1', port: 0 }, async (message, response, body) => {
    const url = new URL(message.url ?? '/', 'https://runtime');
    const named = parsePath(url.pathname, KINDS);
    const method = message.method ?? '';
    const kind = `${method} ${named?.type.plural ?? url.pathname}`;
    requests[kind] = (requests[kind] ?? 0) + 1;
    const answer = async () => {
      if (named === undefined) return json(404, { kind: 'Status', code: 404, reason: 'NotFound' });
      const request = {
        ...{ ...named, method, body, query: url.searchParams, metadataOnly: false },
        contentType: message.headers['content-type'] ?? '',
      };
      return serveResource(clusterOf(clientOf(message)), request).catch((error: unknown) => {
        if (!(error instanceof KubeApiError)) throw error;
        const { status: code, reason, message: text, details } = error;
        return json(code, {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          code,
          reason,
          message: text,
          details,
        });
      });
    };
    const { status, headers, body: text } = await answer();
    response.writeHead(status, headers).end(text);
  });
  return {
    url: `https://127.0.0.1:${listener.port}`,
    ca: authority.certificate,
    clientOf: (name) => clusterOf(name).otherProgram(),
    requests: () => ({ ...requests }),
    stop: listener.stop,
  };
}

function clientOf({ socket }: IncomingMessage): string {
  const { CN } = (socket as TLSSocket).getPeerCertificate().subject;
  return (Array.isArray(CN) ? CN[0] : CN) ?? '';
}
