import { isObject, type JsonObject } from "../../base/json.ts";

/** A request that chooses a model for a session, and the models that it knows. */
export interface WayToChoose {
  readonly method: string;
  readonly params: JsonObject;
  readonly offered: readonly string[];
}

/** Models are offered in a list of their own, or as one of the options of a session, perhaps in groups. */
export function waysToChoose(
  session: string,
  model: string,
  { models, configOptions }: Readonly<Record<string, unknown>>,
): readonly WayToChoose[] {
  const option = objectsIn(configOptions).find(({ category }) => category === "model");
  const values = objectsIn(option?.["options"]).flatMap((one) => ("options" in one ? objectsIn(one["options"]) : one));
  return [
    {
      method: "session/set_model",
      params: { sessionId: session, modelId: model },
      offered: textsIn(objectsIn(isObject(models) ? models["availableModels"] : undefined), "modelId"),
    },
    {
      method: "session/set_config_option",
      params: { sessionId: session, configId: typeof option?.["id"] === "string" ? option["id"] : "", value: model },
      offered: textsIn(values, "value"),
    },
  ];
}

function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsIn(list: readonly Record<string, unknown>[], name: string): readonly string[] {
  return list.map((one) => one[name]).filter((text) => typeof text === "string");
}
