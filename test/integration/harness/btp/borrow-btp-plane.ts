import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import {
  accessControlPlane,
  type ControlPlaneAccess,
} from '../../../../hack/control-planes/access/access.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { secretManifest } from '../../../environment/manifests.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { type BtpAccounts, btpAccounts } from './btp-accounts.ts';
import { DEFAULT_CREDENTIALS, RELEASE_NAMESPACE } from './btp-plane.ts';
import { BTP_PLANES_SOCKET, type BtpPlaneAnswer, RESET } from './btp-plane-service.ts';
import { resetBtpPlane } from './reset-btp-plane.ts';

/** A control plane with the SAP BTP service operator that no other test file uses meanwhile. */
export interface BorrowedBtpPlane {
  readonly plane: ControlPlaneAccess;
  readonly releaseNamespace: string;
  /** Undefined without Helm. */
  readonly accounts: BtpAccounts | undefined;
  /** Removes what is left on it, and gives it back. The operator must have stopped. */
  giveBack(): Promise<void>;
}

/** @param credentials of Service Manager. Default: those of nobody, for tests without the operator */
export async function borrowBtpPlane(
  credentials?: Readonly<Record<string, string>>,
): Promise<BorrowedBtpPlane> {
  const path = process.env[BTP_PLANES_SOCKET];
  if (path === undefined) throw new Error('no control plane: run this test with `make test-integration`');
  const socket = createConnection(path);
  const lines = createInterface({ input: socket });
  const { value } = await lines[Symbol.asyncIterator]().next();
  const answer: BtpPlaneAnswer = JSON.parse(value ?? '{"error":"the main process has ended"}');
  if ('error' in answer)
    throw new Error(`no control plane for the SAP BTP service operator: ${answer.error}`);
  socket.unref();
  const { address, hasChart, kept } = answer.plane;
  const plane = await accessControlPlane(address);
  const key = { namespace: RELEASE_NAMESPACE, name: DEFAULT_CREDENTIALS };
  if (credentials !== undefined) await objectsOf(plane).apply(secrets, secretManifest(key, credentials));
  return {
    plane,
    releaseNamespace: RELEASE_NAMESPACE,
    accounts: hasChart ? btpAccounts(plane, RELEASE_NAMESPACE) : undefined,
    giveBack: async () => {
      await resetBtpPlane(plane, kept);
      lines.close();
      socket.end(RESET);
    },
  };
}
