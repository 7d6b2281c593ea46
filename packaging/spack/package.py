# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Shoal(CMakePackage):
    """Molecular mechanics of many systems at once: energies, forces, relaxation, scans, searches,
    dynamics and vibrations of molecules, crystals and molecules on surfaces, on CPUs and GPUs."""

    homepage = "https://pypi.org/project/shoal"
    pypi = "shoal/shoal-0.1.0.tar.gz"

    license("BSD-3-Clause", checked_by="shoal-developers")

    version("0.1.0", sha256="@SHA256@")

    variant("shared", default=True, description="Build the shared library beside the static one")
    variant("opencl", default=True, description="Compute on devices of OpenCL")
    variant("mpi", default=False, description="Runs of several machines by mpirun")
    variant("hdf5", default=True, description="Results and grids of surfaces in HDF5")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("zlib-api")
    depends_on("hdf5@1.10.2:~mpi", when="+hdf5")
    depends_on("opencl-c-headers", type="build", when="+opencl")
    depends_on("opencl-icd-loader", type="run", when="+opencl")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        return [
            self.define("SHOAL_TESTS", self.run_tests),
            self.define("SHOAL_MPI", "AUTO" if self.spec.satisfies("+mpi") else "OFF"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_HDF5", self.spec.satisfies("~hdf5")),
            self.define_from_variant("SHOAL_OPENCL", "opencl"),
            self.define_from_variant("SHOAL_SHARED", "shared"),
        ]

    def test_doctor(self):
        """the processor computes what the reference does"""
        exe = which(self.prefix.bin.shoal)
        exe("doctor", "--seconds", "0.1")
