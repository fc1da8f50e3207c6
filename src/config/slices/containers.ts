import { z } from "zod";

import { setting } from "./setting.ts";

const image = "nikolaik/python-nodejs:python3.11-nodejs20";
const texts = () => z.array(z.string().min(1).max(4_096)).default([]);

/** Keys of `terminal` for every backend with containers or sandboxes. */
export const containers = {
  container_cpu: setting(z.number().min(0.1).max(256).default(1), "Processors for a container.", {
    env: "TERMINAL_CONTAINER_CPU",
  }),
  container_memory: setting(z.int().min(64).max(4_194_304).default(5_120), "Memory for a container, in MB.", {
    env: "TERMINAL_CONTAINER_MEMORY",
  }),
  container_disk: setting(z.int().min(64).max(16_777_216).default(51_200), "Disk for a container, in MB.", {
    env: "TERMINAL_CONTAINER_DISK",
  }),
  container_persistent: setting(
    z.boolean().default(true),
    "Keep the home and workspace folders of a container until the session is deleted.",
    { env: "TERMINAL_CONTAINER_PERSISTENT" },
  ),
  container_shared: setting(
    z.boolean().default(false),
    "All sessions share one container. Otherwise each session has its own.",
    { env: "TERMINAL_CONTAINER_SHARED" },
  ),
};

/** Keys of `terminal` for docker and podman. */
export const docker = {
  docker_image: setting(z.string().min(1).max(1_000).default(image), "Image for docker and podman.", {
    env: "TERMINAL_DOCKER_IMAGE",
  }),
  docker_binary: setting(z.string().max(4_096).default(""), "Container program. Empty: docker, else podman.", {
    env: "HERMES_DOCKER_BINARY",
  }),
  docker_volumes: setting(texts(), "Mounts, in the form of docker -v: `folder:target[:ro]`.", {
    env: "TERMINAL_DOCKER_VOLUMES",
    safety: true,
  }),
  docker_forward_env: setting(texts(), "Names of environment variables to pass to commands in the container.", {
    env: "TERMINAL_DOCKER_FORWARD_ENV",
    safety: true,
  }),
  docker_env: setting(
    z.record(z.string().regex(/^[A-Za-z_]\w*$/u), setting(z.string().max(65_536), "Its value.", { safety: true })),
    "Environment variables for commands in the container.",
    { env: "TERMINAL_DOCKER_ENV", safety: true },
  ),
  docker_extra_args: setting(texts(), "Additional arguments for docker run. They can weaken the protection.", {
    env: "TERMINAL_DOCKER_EXTRA_ARGS",
    safety: true,
  }),
  docker_mount_cwd_to_workspace: setting(
    z.boolean().default(false),
    "Mount the folder where Hermes was started as /workspace.",
    { env: "TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE", safety: true },
  ),
  docker_run_as_host_user: setting(z.boolean().default(false), "Run commands with your own user id.", {
    env: "TERMINAL_DOCKER_RUN_AS_HOST_USER",
  }),
  docker_network: setting(z.boolean().default(true), "Give the container network access.", {
    env: "TERMINAL_DOCKER_NETWORK",
    project: "false",
    safety: true,
  }),
  docker_shm_size: setting(
    z
      .string()
      .regex(/^\d+[bkmgBKMG]?$/u)
      .default("1g"),
    "Size of /dev/shm in the container.",
    { env: "TERMINAL_DOCKER_SHM_SIZE", expected: "a size such as 512m or 1g" },
  ),
  docker_persist_across_processes: setting(
    z.boolean().default(true),
    "The next start of Hermes reuses a persistent container.",
    { env: "TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES" },
  ),
  docker_orphan_reaper: setting(z.boolean().default(true), "Remove dead containers of this home.", {
    env: "TERMINAL_DOCKER_ORPHAN_REAPER",
  }),
};

/** Keys of `terminal` for singularity and apptainer. */
export const singularity = {
  singularity_image: setting(
    z.string().min(1).max(4_096).default(`docker://${image}`),
    "Image for apptainer and singularity: docker://…, or a .sif file.",
    { env: "TERMINAL_SINGULARITY_IMAGE" },
  ),
  scratch_dir: setting(z.string().max(4_096).default(""), "Folder for built images. Empty: chosen automatically.", {
    env: "TERMINAL_SCRATCH_DIR",
  }),
};

/** Keys of `terminal` for services that run sandboxes. */
export const hosted = {
  modal_image: setting(z.string().min(1).max(1_000).default(image), "Image for modal.", {
    env: "TERMINAL_MODAL_IMAGE",
  }),
  modal_mode: setting(
    z.enum(["auto", "direct", "managed"]).default("auto"),
    "How to access modal. auto and direct: with your own token; managed is not supported.",
    { env: "TERMINAL_MODAL_MODE" },
  ),
  daytona_image: setting(z.string().min(1).max(1_000).default(image), "Image for daytona.", {
    env: "TERMINAL_DAYTONA_IMAGE",
  }),
  daytona_api_url: setting(
    z.string().max(2_000).default("https://app.daytona.io/api"),
    "Address of the daytona service.",
    { env: "DAYTONA_API_URL", safety: true },
  ),
};
