{{- define "labels" -}}
control-plane: controller-manager
app.kubernetes.io/instance: sap-btp-operator
app.kubernetes.io/name: sap-btp-operator
{{- end }}

{{/* For operators that cache Secrets and ConfigMaps with this label only. */}}
{{- define "managed" -}}
services.cloud.sap.com/managed-by-sap-btp-operator: "true"
{{- end }}

{{- define "image" -}}
{{- $image := .Values.manager.image -}}
{{- if not $image.repository -}}
{{- fail "manager.image.repository is required: the repository of the image of provider-kyma" -}}
{{- end -}}
{{- if hasSuffix "sap-btp-service-operator/controller" $image.repository -}}
{{- fail (printf "manager.image.repository: %s is the image of SAP's operator; set the image of provider-kyma" $image.repository) -}}
{{- end -}}
{{- $image.repository -}}
{{- if or $image.tag (not $image.sha) }}:{{ $image.tag | default .Chart.AppVersion }}{{ end -}}
{{- with $image.sha }}@sha256:{{ . }}{{ end -}}
{{- end }}

{{/*
A random ID must be the same in all templates of one rendering, or the checksum of the pods changes with the next upgrade.
It is kept in the values, which the templates share.
*/}}
{{- define "clusterID" -}}
{{- if not (hasKey .Values.cluster "resolvedID") -}}
  {{- $config := lookup "v1" "ConfigMap" .Release.Namespace "sap-btp-operator-config" | default dict -}}
  {{- $first := lookup "v1" "Secret" .Release.Namespace "sap-btp-operator-clusterid" | default dict -}}
  {{- $initial := (get $first "data" | default dict).INITIAL_CLUSTER_ID | default "" | b64dec -}}
  {{- $known := $initial | default (get $config "data" | default dict).CLUSTER_ID -}}
  {{- if and .Values.cluster.id $initial (ne .Values.cluster.id $initial) -}}
  {{- fail (printf "cluster.id cannot be changed: it is %s" $initial) -}}
  {{- end -}}
  {{- $_ := set .Values.cluster "resolvedID" (.Values.cluster.id | default $known | default uuidv4) -}}
{{- end -}}
{{- .Values.cluster.resolvedID -}}
{{- end }}

{{- define "managementNamespace" -}}
{{- .Values.manager.management_namespace | default .Release.Namespace -}}
{{- end }}

{{/* The namespaces whose objects are reconciled, without allow_cluster_access: a JSON list. */}}
{{- define "namespaces" -}}
{{- prepend .Values.manager.allowed_namespaces .Release.Namespace | uniq | toJson -}}
{{- end }}

{{/* The source of the webhooks' certificate. */}}
{{- define "certificates" -}}
{{- $sources := .Values.manager.certificates -}}
{{- if $sources.selfSigned -}} selfSigned
{{- else if $sources.gardenerCertManager -}} gardenerCertManager
{{- else if $sources.certManager -}} certManager
{{- else -}}
{{- fail "manager.certificates: set one of certManager, selfSigned, gardenerCertManager" -}}
{{- end -}}
{{- end }}

{{- define "subject" -}}
subjects:
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ .namespace }}
{{- end }}

{{- define "pod" -}}
{{- with .Values.manager.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.manager.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "priorityClassName" "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
{{- with get $.Values.manager $field }}
{{ $field }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "hook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: "-1"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end }}
