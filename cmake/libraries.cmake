# The libraries made of the objects, and their installation: files are looked for relative to where
# they lie, so that an installed tree can be moved.
#
#   shoal_shared  libshoal.so, shows what include/shoal declares     shoal::shoal, pkg-config shoal
#   shoal_static  libshoal.a, the same                               shoal::static, pkg-config --static
#   shoal_inner   with all inner names; for the unit tests and fuzzers, not installed
include(CMakePackageConfigHelpers)

set(shoal_all_objects "")
foreach(name ${shoal_object_targets})
  list(APPEND shoal_all_objects $<TARGET_OBJECTS:${name}>)
endforeach()

# What the objects call. Installed, libraries are named and not pointed to: where they lie differs
# from machine to machine. OpenMP by its library, as a program need not be compiled for it.
set(shoal_plain_libraries m ${CMAKE_DL_LIBS})
set(shoal_openmp_libraries "")
if(OpenMP_C_FOUND)
  set(shoal_openmp_libraries ${OpenMP_C_LIB_NAMES})
  list(REMOVE_ITEM shoal_openmp_libraries pthread) # Threads has it
endif()
function(shoal_library name)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE ${shoal_plain_libraries} Threads::Threads
    $<BUILD_INTERFACE:shoal_flags>)
  if(OpenMP_C_FOUND)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_C>
      "$<INSTALL_INTERFACE:${shoal_openmp_libraries}>")
  endif()
  if(ZLIB_FOUND)
    target_link_libraries(${name} PRIVATE ZLIB::ZLIB)
  endif()
endfunction()

add_library(shoal_inner STATIC ${shoal_all_objects})
shoal_library(shoal_inner)

# One object whose inner names are local: they cannot meet those of the program it is linked into.
# Without objcopy (not ELF) the archive keeps them.
set(static_objects ${shoal_all_objects})
if(CMAKE_OBJCOPY AND CMAKE_LINKER AND UNIX AND NOT APPLE)
  set(static_objects ${CMAKE_CURRENT_BINARY_DIR}/shoal_whole.o)
  add_custom_command(
    OUTPUT ${static_objects}
    COMMAND ${CMAKE_LINKER} -r -o ${static_objects} ${shoal_all_objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${static_objects}
    DEPENDS ${shoal_object_targets} ${shoal_all_objects}
    COMMENT "Hiding inner names of libshoal.a"
    COMMAND_EXPAND_LISTS VERBATIM)
endif()
add_library(shoal_static STATIC ${static_objects})
set_target_properties(shoal_static PROPERTIES OUTPUT_NAME shoal EXPORT_NAME static
  LINKER_LANGUAGE C)
shoal_library(shoal_static)
add_library(shoal::static ALIAS shoal_static)

# Until 1.0 a minor version may change the interface: it is part of the name that programs look for.
set(shoal_soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(shoal_soversion 0.${PROJECT_VERSION_MINOR})
endif()
if(SHOAL_SHARED)
  add_library(shoal_shared SHARED ${shoal_all_objects})
  set_target_properties(shoal_shared PROPERTIES OUTPUT_NAME shoal EXPORT_NAME shoal
    VERSION ${PROJECT_VERSION} SOVERSION ${shoal_soversion} LINKER_LANGUAGE C)
  shoal_library(shoal_shared)
  if(NOT SHOAL_SANITIZE AND NOT SHOAL_FUZZ AND UNIX AND NOT APPLE)
    target_link_options(shoal_shared PRIVATE LINKER:--no-undefined)
  endif()
  add_library(shoal::shoal ALIAS shoal_shared)
  install(TARGETS shoal_shared EXPORT shoal-shared)
  install(EXPORT shoal-shared NAMESPACE shoal:: FILE shoal-shared.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
endif()

install(TARGETS shoal_static EXPORT shoal-static)
install(EXPORT shoal-static NAMESPACE shoal:: FILE shoal-static.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)
install(DIRECTORY include/shoal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(shoal)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
configure_package_config_file(cmake/shoal-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/shoal-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/shoal-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/shoal-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/shoal-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/shoal)

# pkg-config shoal. The prefix is told from the place of the file, unless directories were given as
# absolute paths.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH pc_up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
  string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
  set(pc_prefix "\${pcfiledir}/${pc_up}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
set(pc_private "")
foreach(library ${shoal_openmp_libraries} ${shoal_plain_libraries})
  string(APPEND pc_private " -l${library}")
endforeach()
set(pc_requires "")
if(ZLIB_FOUND)
  set(pc_requires zlib)
endif()
set(pc_threads ${CMAKE_THREAD_LIBS_INIT})
configure_file(cmake/shoal.pc.in ${CMAKE_CURRENT_BINARY_DIR}/shoal.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/shoal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES examples/CMakeLists.txt examples/energy.c examples/adsorb.c
  examples/own_topology.c examples/relax_files.c examples/resume.c examples/demo.sdf
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
