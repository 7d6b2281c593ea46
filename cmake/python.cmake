# What the Python package holds, as the component "python" (see python/pyproject.toml):
#   lib/libshoal.so           without a version in its name, as wheels have no links
#   bin/shoal                 the program, which uses that library
#   include/shoal             headers of the library
#   lib/shoal_mpi.so          where MPI was found
#   lib/libhdf5.so.N          if SHOAL_PYTHON_HDF5 is on: for machines without HDF5
# and in the environment it is installed into: pages of the manual and completion for shells.
option(SHOAL_PYTHON_HDF5 "Put the HDF5 library into the Python package" OFF)

set_property(TARGET shoal_shared PROPERTY VERSION)
set_property(TARGET shoal_shared PROPERTY SOVERSION)
set_target_properties(shoal_inner shoal_static PROPERTIES EXCLUDE_FROM_ALL ON)
set_target_properties(shoal_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS shoal_shared LIBRARY DESTINATION lib COMPONENT python)
install(TARGETS shoal_cli RUNTIME DESTINATION bin COMPONENT python)
install(DIRECTORY include/shoal DESTINATION include COMPONENT python)
if(SKBUILD AND TARGET shoal_manual)
  set(share ${SKBUILD_DATA_DIR}/share)
  install(DIRECTORY ${manual}/man1 DESTINATION ${share}/man COMPONENT python)
  install(FILES ${manual}/bash/shoal DESTINATION ${share}/bash-completion/completions COMPONENT python)
  install(FILES ${manual}/zsh/_shoal DESTINATION ${share}/zsh/site-functions COMPONENT python)
  install(FILES ${manual}/fish/shoal.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT python)
endif()
if(TARGET shoal_mpi)
  install(TARGETS shoal_mpi LIBRARY DESTINATION lib COMPONENT python)
endif()
if(SHOAL_PYTHON_HDF5)
  if(NOT shoal_hdf5_name)
    message(FATAL_ERROR "SHOAL_PYTHON_HDF5: HDF5 was not found")
  endif()
  install(FILES ${shoal_hdf5_path} DESTINATION lib RENAME ${shoal_hdf5_name}
    COMPONENT python)
endif()
