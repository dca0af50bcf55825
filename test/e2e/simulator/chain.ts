/**
 * HANA Cloud and Service Manager in one process: databases that Service Manager makes exist in HANA Cloud. It listens on all
 * addresses, and every client that reaches it can control it: for throw-away clusters only.
 */
import { parseArgs } from 'node:util';
import { runCommand } from '../../simulators/base/command-line.ts';
import { hanaCloudBroker, hanaCloudCatalog } from '../../simulators/hana-cloud/broker.ts';
import { startHanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';
import { startServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';

const { values } = parseArgs({ options: { host: { type: 'string', default: 'localhost' } } });

await runCommand(async () => {
  const place = { listen: '0.0.0.0', host: values.host };
  const hanaCloud = await startHanaCloudSimulator({
    ...place,
    instances: [],
    port: 8443,
    tokenPort: 8444,
    certTokenPort: 8445,
  });
  const serviceManager = await startServiceManagerSimulator({
    ...place,
    port: 8446,
    catalog: hanaCloudCatalog,
    broker: hanaCloudBroker(hanaCloud),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void Promise.all([hanaCloud.stop(), serviceManager.stop()]));
  }
  console.log(`HANA Cloud ${hanaCloud.apiUrl}, Service Manager ${serviceManager.url}`);
});
