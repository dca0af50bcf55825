// Generated from apis/gardener/extensions.openapi.yaml by hack/codegen. Do not edit; run `make generate`.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Networks of a Shoot on AWS (provider-aws). */
        AwsInfrastructureConfig: {
            /** @constant */
            apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "InfrastructureConfig";
            /** Whether nodes may pull from the registry of the account. */
            enableECRAccess?: boolean;
            /** IPv6 beside IPv4. */
            dualStack?: components["schemas"]["AwsDualStack"];
            /** Tags that Gardener leaves alone. */
            ignoreTags?: components["schemas"]["AwsIgnoreTags"];
            /** The VPC and its subnets. */
            networks: components["schemas"]["AwsNetworks"];
        };
        /** IPv6 beside IPv4. */
        AwsDualStack: {
            /** Whether subnets have IPv6 too. */
            enabled: boolean;
        };
        /** Tags of AWS resources that Gardener neither sets nor removes. */
        AwsIgnoreTags: {
            /** Whole keys. */
            keys?: string[];
            /** Beginnings of keys. */
            keyPrefixes?: string[];
        };
        /** The VPC and its subnets. */
        AwsNetworks: {
            /** The VPC. */
            vpc: components["schemas"]["AwsVpc"];
            /** The subnets of each zone. */
            zones: components["schemas"]["AwsZone"][];
        };
        /** A new VPC with `cidr`, or an existing one with `id`. */
        AwsVpc: {
            /** Of an existing VPC. */
            id?: string;
            /** Range of a new VPC. */
            cidr?: string;
            /** Services with a gateway endpoint. */
            gatewayEndpoints?: string[];
        };
        /** The subnets of one zone, which do not overlap. */
        AwsZone: {
            /** Of the zone, such as eu-central-1a. */
            name: string;
            /** Range of the nodes. */
            workers: string;
            /** Range of public load balancers. */
            public: string;
            /** Range of internal load balancers. */
            internal: string;
            /** Of an existing address for the NAT gateway. */
            elasticIPAllocationID?: string;
        };
        /** Control plane of a Shoot on AWS. */
        AwsControlPlaneConfig: {
            /** @constant */
            apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "ControlPlaneConfig";
            /** The AWS load balancer controller, which IPv6 needs. */
            loadBalancerController?: components["schemas"]["Switch"];
        };
        /** Nodes of a worker pool on AWS. */
        AwsWorkerConfig: {
            /** @constant */
            apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "WorkerConfig";
            /** The metadata service of the nodes. */
            instanceMetadataOptions?: components["schemas"]["AwsInstanceMetadataOptions"];
        };
        /** The metadata service of nodes on AWS. */
        AwsInstanceMetadataOptions: {
            /** Required for IMDSv2 only. */
            httpTokens?: "required" | "optional";
            /** Network hops of a response. */
            httpPutResponseHopLimit?: number;
        };
        /** Networks of a Shoot on Azure (provider-azure). */
        AzureInfrastructureConfig: {
            /** @constant */
            apiVersion: "azure.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "InfrastructureConfig";
            /** Whether nodes are in zones. */
            zoned: boolean;
            /** An existing one to use. */
            resourceGroup?: components["schemas"]["AzureResourceGroup"];
            /** The virtual network and its subnets. */
            networks: components["schemas"]["AzureNetworks"];
        };
        /** An existing resource group. */
        AzureResourceGroup: {
            /** Its name. */
            name: string;
        };
        /** The virtual network and its subnets. */
        AzureNetworks: {
            /** The virtual network. */
            vnet: components["schemas"]["AzureVnet"];
            /** Range of the nodes, where there is one subnet for all zones. */
            workers?: string;
            /** For a network without zones. */
            natGateway?: components["schemas"]["AzureNatGateway"];
            /** Services reached within Azure. */
            serviceEndpoints?: string[];
            /** The subnet of each zone. Absent in networks without zones. */
            zones?: components["schemas"]["AzureZone"][];
        };
        /** A new network with `cidr`, or an existing one with `name` and `resourceGroup`. */
        AzureVnet: {
            /** Of an existing network. */
            name?: string;
            /** Of an existing network. */
            resourceGroup?: string;
            /** Range of a new network. */
            cidr?: string;
            /** A plan for the network. */
            ddosProtectionPlanID?: string;
        };
        /** The subnet of one zone. */
        AzureZone: {
            /** Number of the zone, 1 to 8. */
            name: number;
            /** Range of the nodes. */
            cidr: string;
            /** The way to the internet. */
            natGateway?: components["schemas"]["AzureZonedNatGateway"];
            /** Services reached within Azure. */
            serviceEndpoints?: string[];
        };
        /** A NAT gateway for all nodes. */
        AzureNatGateway: {
            /** Whether there is one. */
            enabled: boolean;
            /** Minutes until an idle connection ends, 4 to 120. */
            idleConnectionTimeoutMinutes?: number;
            /** Number of its zone. */
            zone?: number;
            /** Existing addresses to use. */
            ipAddresses?: components["schemas"]["AzurePublicIp"][];
        };
        /** The NAT gateway of one zone. */
        AzureZonedNatGateway: {
            /** Whether there is one. */
            enabled: boolean;
            /** Minutes until an idle connection ends, 4 to 120. */
            idleConnectionTimeoutMinutes?: number;
            /** Existing addresses to use. */
            ipAddresses?: components["schemas"]["AzureZonedPublicIp"][];
        };
        /** An existing public address. */
        AzurePublicIp: {
            /** Its name. */
            name: string;
            /** Its resource group. */
            resourceGroup: string;
            /** Number of its zone. */
            zone: number;
        };
        /** An existing public address in the zone of the NAT gateway. */
        AzureZonedPublicIp: {
            /** Its name. */
            name: string;
            /** Its resource group. */
            resourceGroup: string;
        };
        /** Control plane of a Shoot on Azure. */
        AzureControlPlaneConfig: {
            /** @constant */
            apiVersion: "azure.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "ControlPlaneConfig";
        };
        /** Networks of a Shoot on Google Cloud (provider-gcp). */
        GcpInfrastructureConfig: {
            /** @constant */
            apiVersion: "gcp.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "InfrastructureConfig";
            /** The subnet of the nodes. */
            networks: components["schemas"]["GcpNetworks"];
        };
        /** The subnet of the nodes. */
        GcpNetworks: {
            /** Range of the nodes; the older name of `workers`. */
            worker?: string;
            /** Range of the nodes. */
            workers?: string;
        };
        /** Control plane of a Shoot on Google Cloud. */
        GcpControlPlaneConfig: {
            /** @constant */
            apiVersion: "gcp.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "ControlPlaneConfig";
            /** A zone of the nodes. */
            zone: string;
        };
        /** Networks of a Shoot on OpenStack (provider-openstack). */
        OpenstackInfrastructureConfig: {
            /** @constant */
            apiVersion: "openstack.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "InfrastructureConfig";
            /** Pool of the public addresses. */
            floatingPoolName: string;
            /** The subnet of the nodes. */
            networks: components["schemas"]["OpenstackNetworks"];
        };
        /** The subnet of the nodes. */
        OpenstackNetworks: {
            /** Range of the nodes; the older name of `workers`. */
            worker?: string;
            /** Range of the nodes. */
            workers?: string;
        };
        /** Control plane of a Shoot on OpenStack. */
        OpenstackControlPlaneConfig: {
            /** @constant */
            apiVersion: "openstack.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "ControlPlaneConfig";
            /** What makes load balancers. */
            loadBalancerProvider: string;
        };
        /** Networks of a Shoot on Alibaba Cloud (provider-alicloud). */
        AlicloudInfrastructureConfig: {
            /** @constant */
            apiVersion: "alicloud.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "InfrastructureConfig";
            /** The VPC and its subnets. */
            networks: components["schemas"]["AlicloudNetworks"];
        };
        /** The VPC and its subnets. */
        AlicloudNetworks: {
            /** The VPC. */
            vpc: components["schemas"]["AlicloudVpc"];
            /** The subnet of each zone. */
            zones: components["schemas"]["AlicloudZone"][];
        };
        /** A new VPC. */
        AlicloudVpc: {
            /** Its range. */
            cidr?: string;
        };
        /** The subnet of one zone. */
        AlicloudZone: {
            /** Of the zone. */
            name: string;
            /** Range of the nodes. */
            workers: string;
        };
        /** Control plane of a Shoot on Alibaba Cloud. */
        AlicloudControlPlaneConfig: {
            /** @constant */
            apiVersion: "alicloud.provider.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "ControlPlaneConfig";
        };
        /** Networks of a Shoot on Google Distributed Cloud (provider-gdch). */
        GdchInfrastructureConfig: {
            /** @constant */
            apiVersion: "gdch.provider.extensions.gardener.gdc.goog/v1alpha1";
            /** @constant */
            kind: "InfrastructureConfig";
            /** Whether nodes reach other networks. */
            enableEgress?: boolean;
            /** The subnets. */
            networks: components["schemas"]["GdchNetworks"];
        };
        /** The subnets. */
        GdchNetworks: {
            /** Range of the nodes. */
            nodeCIDR: string;
            /** The subnet of each zone. */
            zones: components["schemas"]["GdchZone"][];
            /** What they are a part of. */
            parentReference?: components["schemas"]["GdchParentReference"];
        };
        /** The subnet of one zone. */
        GdchZone: {
            /** Of the zone. */
            name: string;
            /** Range of the nodes. */
            CIDR: string;
        };
        /** What the subnets are a part of. */
        GdchParentReference: {
            /** Its name. */
            name: string;
            /** Its namespace. */
            namespace?: string;
            /** Its type. */
            type?: string;
        };
        /** Control plane of a Shoot on Google Distributed Cloud. */
        GdchControlPlaneConfig: {
            /** @constant */
            apiVersion: "gdch.provider.extensions.gardener.gdc.goog/v1alpha1";
            /** @constant */
            kind: "ControlPlaneConfig";
        };
        /** Configuration of the extension acl. It is written without apiVersion and kind. */
        AccessControlConfig: {
            /** Who may connect. */
            rule?: components["schemas"]["AccessControlRule"];
        };
        /** Who may connect to the API server. */
        AccessControlRule: {
            /** What is done with connections from these ranges. */
            action: "ALLOW" | "DENY";
            /** Ranges of addresses. */
            cidrs: string[];
            /** Which address counts. */
            type: string;
        };
        /**
         * Configuration of the extension shoot-networking-filter. It is written without apiVersion and kind.
         */
        NetworkFilterConfig: {
            /** Filter of outgoing traffic. */
            egressFilter?: components["schemas"]["EgressFilter"];
        };
        /** Filter of outgoing traffic. */
        EgressFilter: {
            /** Whether routes to filtered networks lead nowhere. */
            blackholingEnabled?: boolean;
        };
        /** Configuration of the extension shoot-cert-service. */
        CertConfig: {
            /** @constant */
            apiVersion: "service.cert.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "CertConfig";
            /** Issuers inside of the Shoot. */
            shootIssuers?: components["schemas"]["Switch"];
        };
        /** Whether something is on. */
        Switch: {
            /** Whether it is on. */
            enabled: boolean;
        };
        /** Configuration of the extension shoot-dns-service. */
        DNSConfig: {
            /** @constant */
            apiVersion: "service.dns.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "DNSConfig";
            /** Whether providers of spec.dns are used too. */
            syncProvidersFromShootSpecDNS?: boolean;
            /** Providers inside of the Shoot. */
            dnsProviderReplication?: components["schemas"]["Switch"];
            /** DNS providers; null where Gardener's own DNS is used. */
            providers?: components["schemas"]["DNSServiceProvider"][] | null;
        };
        /** A DNS provider of shoot-dns-service. */
        DNSServiceProvider: {
            /** What it serves. */
            domains?: components["schemas"]["DomainSelection"];
            /** Entry of spec.resources with its credentials. */
            credentials?: string;
            /** Secret with its credentials; the older name. */
            secretName?: string;
            /** Such as aws-route53. */
            type?: string;
        };
        /** Domains that a DNS provider serves. */
        DomainSelection: {
            /** Domains with all below them. */
            include?: string[];
            /** Domains that are left out of these. */
            exclude?: string[];
        };
        /** Configuration of the extension shoot-auditlog-service. */
        AuditlogConfig: {
            /** @constant */
            apiVersion: "service.auditlog.extensions.gardener.cloud/v1alpha1";
            /** @constant */
            kind: "AuditlogConfig";
            /** Kind of service plan. */
            type: string;
            /** Tenant of the audit log service. */
            tenantID: string;
            /** Of the audit log service. */
            serviceURL: string;
            /** Entry of spec.resources with the credentials. */
            secretReferenceName: string;
        };
        /** Configuration of the extension registry-cache. */
        RegistryConfig: {
            /** @constant */
            apiVersion: "registry.extensions.gardener.cloud/v1alpha3";
            /** @constant */
            kind: "RegistryConfig";
            /** One cache for each upstream registry. */
            caches: components["schemas"]["RegistryCache"][];
        };
        /** A cache of an upstream registry. */
        RegistryCache: {
            /** Host of the registry. */
            upstream: string;
            /** URL of the registry. Default is https and the host. */
            remoteURL?: string;
            /** Storage of the cache. */
            volume?: components["schemas"]["RegistryCacheVolume"];
            /** When images go. */
            garbageCollection?: components["schemas"]["RegistryCacheGarbageCollection"];
            /** Entry of spec.resources with credentials of the registry. */
            secretReferenceName?: string;
            /** Proxies to the registry. */
            proxy?: components["schemas"]["RegistryCacheProxy"];
        };
        /** Storage of a registry cache. */
        RegistryCacheVolume: {
            /** A quantity. */
            size?: string;
            /** Class of the volume. */
            storageClassName?: string;
        };
        /** When images leave a registry cache. */
        RegistryCacheGarbageCollection: {
            /** How long an image stays. 0s for ever. */
            ttl: string;
        };
        /** Proxies between a cache and its registry. */
        RegistryCacheProxy: {
            /** For http. */
            httpProxy?: string;
            /** For https. */
            httpsProxy?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
