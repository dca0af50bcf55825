import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Objects of a chart, without its namespace. */
export const OBJECTS = 42;

const CHART = (name: string) => `apiVersion: v2
name: ${name}
version: 1.0.0
`;

const VALUES = `global: { registry: registry.example.org }
text: first
parts: 8
resources:
  limits: { cpu: 100m, memory: 128Mi }
  requests: { cpu: 10m, memory: 32Mi }
`;

const HELPERS = `{{- define "part.name" -}}
{{- printf "%s-%d" .root.Release.Name .index | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "part.labels" -}}
app.kubernetes.io/name: {{ include "part.name" . }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Chart.Version | quote }}
{{- end -}}
`;

/** A component of eight parts, each with what a part usually has. No pods run, so their state does not count. */
const PARTS = `{{- range $index := until (int .Values.parts) }}
{{- $part := dict "root" $ "index" $index }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "part.name" $part }}
  labels: {{- include "part.labels" $part | nindent 4 }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "part.name" $part }}
  labels: {{- include "part.labels" $part | nindent 4 }}
data:
  text: {{ $.Values.text | quote }}
  settings.json: {{ dict "part" $index "text" $.Values.text | toJson | quote }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "part.name" $part }}
  labels: {{- include "part.labels" $part | nindent 4 }}
data:
  password: {{ $.Values.text | b64enc }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "part.name" $part }}
  labels: {{- include "part.labels" $part | nindent 4 }}
spec:
  selector: {{- include "part.labels" $part | nindent 4 }}
  ports: [{ name: http, port: 80, targetPort: http }]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "part.name" $part }}
  labels: {{- include "part.labels" $part | nindent 4 }}
  annotations: { reconciler.kyma-project.io/ignore-pod-state: "true" }
spec:
  selector: { matchLabels: { app.kubernetes.io/name: {{ include "part.name" $part }} } }
  template:
    metadata:
      labels: {{- include "part.labels" $part | nindent 8 }}
    spec:
      serviceAccountName: {{ include "part.name" $part }}
      containers:
        - name: main
          image: {{ $.Values.global.registry }}/part:{{ $.Chart.Version }}
          args: [--text, {{ $.Values.text | quote }}]
          ports: [{ name: http, containerPort: 8080 }]
          envFrom: [{ secretRef: { name: {{ include "part.name" $part }} } }]
          resources: {{- toYaml $.Values.resources | nindent 12 }}
          volumeMounts: [{ name: settings, mountPath: /settings }]
      volumes:
        - name: settings
          configMap: { name: {{ include "part.name" $part }} }
{{- end }}
`;

const ROLES = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: {{ .Release.Name }} }
rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: {{ .Release.Name }} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }} }
subjects: [{ kind: ServiceAccount, name: {{ .Release.Name }}-0, namespace: {{ .Release.Namespace }} }]
`;

/** Writes charts in the layout of a version of Kyma, one for each component. */
export async function writeCharts(folder: string, components: readonly string[]): Promise<void> {
  const write = async (path: string, text: string) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await mkdir(join(folder, 'installation/resources/crds'), { recursive: true });
  for (const name of components) {
    const chart = chartFolder(name);
    await write(join(chart, 'Chart.yaml'), CHART(name));
    await write(join(chart, 'values.yaml'), VALUES);
    await write(join(chart, 'templates/_helpers.tpl'), HELPERS);
    await write(join(chart, 'templates/parts.yaml'), PARTS);
    await write(join(chart, 'templates/roles.yaml'), ROLES);
  }
}

/** The chart of a component, below the folder of the version. */
export const chartFolder = (component: string): string => join('resources', component);
