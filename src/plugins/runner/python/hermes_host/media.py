"""Providers of search, browsers, images, video and speech as backends that receive and return JSON."""
from .calls import adapt
from .objects import replace
from .plugin import plugin


class MediaProvider:
    name = ""

    @property
    def display_name(self):
        return self.name

    def is_available(self):
        return True

    def list_models(self):
        return []

    def default_model(self):
        return None

    def get_setup_schema(self):
        return {}

    def supports_search(self):
        return callable(getattr(self, "search", None))

    def supports_extract(self):
        return callable(getattr(self, "extract", None))


def register_backends(kinds, provider, module, base):
    expected = getattr(__import__(f"agent.{module}", None, None, [base]), base)
    if not isinstance(provider, expected):
        member = module.replace("_provider", "")
        plugin.warn(f"register_{member}_provider: {type(provider).__name__} does not inherit from {base} and is ignored")
        return None
    handle = None
    for kind in kinds:
        if kind in ("search", "extract") and not getattr(provider, f"supports_{kind}")():
            continue
        name = str(provider.name)
        key = f"backends:{kind}:{name}"
        entry = {"id": key, "kind": kind, "name": name, "title": str(provider.display_name), "hasCheck": True}
        replace(plugin.registration["backends"], "id", key)
        handle = plugin.add("backends", entry, key, Backend(kind, provider))
    return handle


class Backend:
    """The methods of a backend that the host calls."""

    def __init__(self, kind, provider):
        self._kind = kind
        self._provider = provider

    def isAvailable(self):
        return bool(self._provider.is_available())

    def run(self, input):
        return getattr(self, f"_{self._kind}")(input)

    def _search(self, input):
        answer = checked(adapt(self._provider.search, 2)([input["query"], input.get("limit", 5)], {}))
        data = answer.get("data", answer) if isinstance(answer, dict) else answer
        if isinstance(data, dict):
            data = data.get("web", data.get("results", []))
        return {"results": [hit for hit in data or [] if isinstance(hit, dict)]}

    def _extract(self, input):
        answer = waited(adapt(self._provider.extract, 1)([input["urls"]], {}))
        answer = checked(answer)
        data = answer.get("data", answer.get("results", [])) if isinstance(answer, dict) else answer
        return {"results": [page for page in data or [] if isinstance(page, dict)]}

    def _browser(self, input):
        if input["action"] == "close":
            adapt(self._provider.close_session, 1)([input["id"]], {})
            return {}
        session = checked(adapt(self._provider.create_session, 1)([input.get("session", "hermes")], {}))
        id = session.get("bb_session_id") or session.get("session_id") or session.get("session_name") or ""
        return {"cdp_url": session.get("cdp_url"), "id": str(id)}

    def _image(self, input):
        return {"images": self._generated(input, "image"), "model": str(self._provider.default_model() or "")}

    def _video(self, input):
        return {"videos": self._generated(input, "video"), "model": str(self._provider.default_model() or "")}

    def _generated(self, input, field):
        options = {key: value for key, value in input.items() if key not in ("prompt", "image_urls")}
        urls = input.get("image_urls") or []
        if urls:
            options.update({"image_url": urls[0], "reference_image_urls": urls[1:]})
        answer = checked(waited(adapt(self._provider.generate, 1)([input["prompt"]], options)))
        return [located(answer[field])]

    def _speech(self, input):
        suffix = input.get("format") or "mp3"
        with scratch_file(suffix) as path:
            options = {key: input[key] for key in ("voice", "model", "speed", "format") if input.get(key) is not None}
            written = waited(adapt(self._provider.synthesize, 2)([input["text"], path], options))
            return located(written if isinstance(written, str) else path)

    def _transcription(self, input):
        import base64

        with scratch_file(input.get("format") or "wav") as path:
            with open(path, "wb") as file:
                file.write(base64.b64decode(input["base64"]))
            options = {"language": input["language"]} if input.get("language") else {}
            answer = waited(adapt(self._provider.transcribe, 1)([path], options))
        if isinstance(answer, str):
            return {"text": answer}
        answer = checked(answer)
        return {"text": str(answer.get("transcript", answer.get("text", "")))}


def checked(answer):
    """The answer of a provider. An answer that describes a failure becomes an error."""
    if isinstance(answer, dict) and answer.get("success") is False:
        raise RuntimeError(str(answer.get("error") or answer.get("message") or "it failed without a reason"))
    return answer


def waited(answer):
    """The result of a function, or of the coroutine that it returns."""
    if hasattr(answer, "__await__"):
        import asyncio

        return asyncio.run(answer)
    return answer


def located(place):
    """Converts an image or sound for the host: a URL stays a URL; a file is read here, because only the plugin can access it."""
    text = str(place)
    if text.startswith(("http://", "https://")):
        return {"url": text}
    if text.startswith("data:"):
        head, _, body = text.partition(",")
        return {"base64": body, "mime_type": head[5:].partition(";")[0]}
    import base64
    import mimetypes

    with open(text, "rb") as file:
        return {"base64": base64.b64encode(file.read()).decode(), "mime_type": mimetypes.guess_type(text)[0] or ""}


class scratch_file:
    def __init__(self, suffix):
        self._suffix = str(suffix)

    def __enter__(self):
        import tempfile

        handle, self._path = tempfile.mkstemp("." + self._suffix)
        __import__("os").close(handle)
        return self._path

    def __exit__(self, *_):
        try:
            __import__("os").unlink(self._path)
        except OSError:
            pass
